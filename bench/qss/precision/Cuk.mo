// compare: i1 i2 u1 u2
model Cuk "Cuk converter with an ideal diode"
  Real i1(start = 0, fixed = true), i2(start = 0, fixed = true), u1(start = 0, fixed = true), u2(start = 0, fixed = true);
  Real s, vd, id, vs, is;
  Boolean on, off;
equation
  on = sin(2*3.14159265358979*2e4*time) > 0;
  off = s < 0;
  vd = s*(if off then 1 else 1e-5);
  id = s*(if off then 1e-5 else 1);
  vs = is*(if on then 1e-5 else 1e5);
  vs - u1 = vd;
  i1 + i2 = is + id;
  1e-3*der(i1) = 24 - vs;
  1e-3*der(i2) = -u2 - (vs - u1);
  1e-5*der(u1) = i1 - is;
  1e-4*der(u2) = i2 - u2/10;
  annotation(experiment(StopTime = 0.005, Interval = 1e-5));
end Cuk;
