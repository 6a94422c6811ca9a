// compare: x
model DelayedFeedback "A loop with a delay"
  Real x(start = 1, fixed = true);
equation
  der(x) = -2*delay(x, 0.5);
  annotation(experiment(StopTime = 10, Interval = 0.01));
end DelayedFeedback;
