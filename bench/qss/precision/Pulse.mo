// compare: x y
model Pulse "A narrow pulse in a long run"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = exp(-((time - 40)/0.05)^2) - 0.05*x;
  der(y) = 0.1*(x - y);
  annotation(experiment(StopTime = 100, Interval = 0.1));
end Pulse;
