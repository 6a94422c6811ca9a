// compare: i1 i2 u
model Commutation "Two phases commutate through ideal diodes into a coil: three currents meet in one node"
  Real i1(start = 0, fixed = true), i2(start = 0, fixed = true), u(start = 0, fixed = true);
  Real v1, v2, s1, s2, d1, d2, n;
  Boolean off1, off2;
equation
  v1 = 100*sin(314*time);
  v2 = 100*sin(314*time + 1.0472);
  off1 = s1 < 0;
  d1 = s1*(if off1 then 1 else 1e-2);
  i1 = s1*(if off1 then 1e-6 else 1);
  off2 = s2 < 0;
  d2 = s2*(if off2 then 1 else 1e-2);
  i2 = s2*(if off2 then 1e-6 else 1);
  1e-3*der(i1) = v1 - 0.1*i1 - d1 - n;
  1e-3*der(i2) = v2 - 0.1*i2 - d2 - n;
  n = 1e4*(i1 + i2 - u);
  0.2*der(u) = n - 5*u;
  annotation(experiment(StopTime = 0.06, Interval = 1e-4));
end Commutation;
