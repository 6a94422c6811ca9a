// compare: x y z
model StiffRing "Three states that drive each other fast, in a ring"
  Real x(start = 1, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
equation
  der(x) = 1000*(z - x) - x;
  der(y) = 1000*(x - y) + 1;
  der(z) = 1000*(y - z) - z^2;
  annotation(experiment(StopTime = 1, Interval = 0.002));
end StiffRing;
