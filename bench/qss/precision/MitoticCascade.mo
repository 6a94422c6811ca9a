// compare: c m x
model MitoticCascade "Goldbeter's minimal cascade of the cell cycle: saturations that are sharper than a coarse quantum"
  Real c(start = 0.01, fixed = true), m(start = 0.01, fixed = true), x(start = 0.01, fixed = true);
  Real v1;
equation
  v1 = 3*c/(0.5 + c);
  der(c) = 0.025 - 0.25*x*c/(0.02 + c) - 0.01*c;
  der(m) = v1*(1 - m)/(0.005 + 1 - m) - 1.5*m/(0.005 + m);
  der(x) = m*(1 - x)/(0.005 + 1 - x) - 0.5*x/(0.005 + x);
  annotation(experiment(StopTime = 100, Interval = 0.2));
end MitoticCascade;
