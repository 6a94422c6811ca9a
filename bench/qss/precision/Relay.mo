// compare: x v
model Relay "A relay that drives a mass to a line on which it slides"
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = if x + v > 0 then -2 else 2;
  annotation(experiment(StopTime = 10, Interval = 0.01));
end Relay;
