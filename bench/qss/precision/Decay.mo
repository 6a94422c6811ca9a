// compare: x
model Decay "One time constant"
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  annotation(experiment(StopTime = 5, Interval = 0.01));
end Decay;
