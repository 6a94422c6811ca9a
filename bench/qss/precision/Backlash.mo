// compare: a b wa wb
model Backlash "Two inertias with backlash, driven by a changing torque"
  Real a(start = 0, fixed = true), b(start = 0, fixed = true), wa(start = 0, fixed = true), wb(start = 0, fixed = true);
  Real d, M;
equation
  d = a - b;
  M = if d > 0.05 then 500*(d-0.05) + 2*(wa-wb) else if d < -0.05 then 500*(d+0.05) + 2*(wa-wb) else 0;
  der(a) = wa;
  der(b) = wb;
  0.1*der(wa) = 2*sin(3*time) - M;
  0.3*der(wb) = M - 0.4*wb;
  annotation(experiment(StopTime = 8, Interval = 0.02));
end Backlash;
