// compare: x y z
model Oregonator "The Belousov-Zhabotinsky reaction: a relaxation oscillator over five orders of magnitude"
  Real x(start = 1, fixed = true), y(start = 2, fixed = true), z(start = 3, fixed = true);
equation
  der(x) = 77.27*(y - x*y + x - 8.375e-6*x^2);
  der(y) = (z - y - x*y)/77.27;
  der(z) = 0.161*(x - z);
  annotation(experiment(StopTime = 360, Interval = 1));
end Oregonator;
