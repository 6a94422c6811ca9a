// compare: z f
model GrowingPhases "A loop of second type locks: phases of thousands, of which a filter feels the difference"
  Real ph(start=0,fixed=true), z(start=0,fixed=true), f(start=0,fixed=true), th(start=0.7, fixed=true);
equation
  der(th) = 50 + 2*sin(0.5*time);
  der(f) = 20*(sin(th-ph) - f);
  der(z) = 1.5*f;
  der(ph) = 48 + 6*f + 3*z;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end GrowingPhases;
