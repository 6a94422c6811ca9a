// compare: x
model VaryingDelay "A delay that varies with time"
  Real x(start = 1, fixed = true);
equation
  der(x) = -delay(x, 0.6 + 0.4*sin(time), 2);
  annotation(experiment(StopTime = 10, Interval = 0.01));
end VaryingDelay;
