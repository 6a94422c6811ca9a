// compare: x v
model Oscillator "Harmonic oscillation without damping"
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end Oscillator;
