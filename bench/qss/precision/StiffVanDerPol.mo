// compare: x y
model StiffVanDerPol "Van der Pol in the coordinates of Lienard, stiff"
  Real x(start = 2, fixed = true), y(start = 0, fixed = true);
  parameter Real mu = 50;
equation
  der(x) = mu*(x - x^3/3 - y);
  der(y) = x/mu;
  annotation(experiment(StopTime = 100, Interval = 0.1));
end StiffVanDerPol;
