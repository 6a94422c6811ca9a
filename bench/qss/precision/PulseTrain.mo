// compare: x y
model PulseTrain "Narrow pulses with long pauses"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = exp(100*(sin(2*time) - 1)) - 0.1*x;
  der(y) = 0.5*(x - y);
  annotation(experiment(StopTime = 20, Interval = 0.02));
end PulseTrain;
