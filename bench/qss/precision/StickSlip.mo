// compare: x v
model StickSlip "A mass on a belt, with stick and slip by a falling characteristic"
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
  Real w, F;
equation
  w = 0.5 - v;
  F = if w > 0 then 1*(0.6 + 0.4*exp(-5*w)) else -(0.6 + 0.4*exp(5*w));
  der(x) = v;
  der(v) = F - 10*x - 0.02*v;
  annotation(experiment(StopTime = 10, Interval = 0.02));
end StickSlip;
