// compare: a b c d
model FastTriangle "Three states that pass on what they have in a circle, fast, with a slow loss and a source"
  Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true), d(start = 0, fixed = true);
equation
  der(a) = 1e4*(c - a) - a + sin(time);
  der(b) = 1e4*(a - b);
  der(c) = 1e4*(b - c) - 0.5*c;
  der(d) = c - d;
  annotation(experiment(StopTime = 10, Interval = 0.02));
end FastTriangle;
