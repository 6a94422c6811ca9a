model Tanks "Two tanks, the second fed by the first; both begin empty"
  parameter Real k = 0.5;
  Real h1(start = 0, fixed = true), h2(start = 0, fixed = true), q1, q2;
equation
  q1 = k*sqrt(h1);
  q2 = k*sqrt(h2);
  der(h1) = 1 - q1;
  der(h2) = q1 - q2;
end Tanks;
