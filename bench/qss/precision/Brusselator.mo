// compare: x y
model Brusselator "Autocatalytic reactions"
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = 1 + x^2*y - 4*x;
  der(y) = 3*x - x^2*y;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end Brusselator;
