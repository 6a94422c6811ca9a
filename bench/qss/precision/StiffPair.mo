// compare: x y
model StiffPair "Two states that drive each other fast towards a slow motion"
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = -1000*(x - y) + sin(3*time);
  der(y) = 1000*(x - y) - y;
  annotation(experiment(StopTime = 1, Interval = 0.002));
end StiffPair;
