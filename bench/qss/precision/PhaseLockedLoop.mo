// compare: phi u
model PhaseLockedLoop "A loop that locks on an oscillation"
  Real phi(start = 0, fixed = true), u(start = 0, fixed = true);
equation
  der(phi) = 10 + 5*u;
  der(u) = 2*(sin(11*time)*cos(phi) - u);
  annotation(experiment(StopTime = 20, Interval = 0.02));
end PhaseLockedLoop;
