// compare: x v
model Chirp "A resonance that is swept through"
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -400*x - 2*v + 100*sin(4*time^2);
  annotation(experiment(StopTime = 5, Interval = 0.005));
end Chirp;
