// compare: phi u
model SlippingLoop "A loop that would lock on an oscillation slips cycles"
  Real phi(start = 0, fixed = true), u(start = 0, fixed = true);
equation
  der(phi) = 10 + 12*u;
  der(u) = 1.5*(sin(20*time)*cos(phi) - u);
  annotation(experiment(StopTime = 15, Interval = 0.02));
end SlippingLoop;
