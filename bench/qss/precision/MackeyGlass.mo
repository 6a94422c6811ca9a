// compare: x
model MackeyGlass "A population with a delay"
  Real x(start = 0.5, fixed = true);
equation
  der(x) = 2*delay(x, 2)/(1 + delay(x, 2)^6) - x;
  annotation(experiment(StopTime = 50, Interval = 0.05));
end MackeyGlass;
