// compare: s e es p
model Enzyme "An enzyme binds fast: two sums are conserved"
  Real s(start=1,fixed=true), e(start=0.05,fixed=true), es(start=0,fixed=true), p(start=0,fixed=true);
  Real v1=1000*s*e - 20*es, v2=10*es;
equation
  der(s) = -v1; der(e) = -v1+v2; der(es) = v1-v2; der(p) = v2;
  annotation(experiment(StopTime = 6, Interval = 0.02));
end Enzyme;
