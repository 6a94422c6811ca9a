// compare: x y
model VanDerPol "Van der Pol, not stiff"
  Real x(start = 2, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = y;
  der(y) = (1 - x^2)*y - x;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end VanDerPol;
