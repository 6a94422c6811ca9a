// compare: x y
model PredatorPrey "Lotka and Volterra"
  Real x(start = 10, fixed = true), y(start = 5, fixed = true);
equation
  der(x) = x*(1.1 - 0.4*y);
  der(y) = y*(0.1*x - 0.4);
  annotation(experiment(StopTime = 20, Interval = 0.02));
end PredatorPrey;
