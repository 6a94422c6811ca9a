// compare: i u
model BuckBoost "Inverting converter with an ideal diode"
  Real i(start = 0, fixed = true), u(start = 0, fixed = true), s, vd, id, vs;
  Boolean on, off;
equation
  on = sin(2*3.14159265358979*1e4*time) > 0;
  off = s < 0;
  vd = s*(if off then 1 else 1e-5);
  id = s*(if off then 1e-5 else 1);
  i = id + vs/(if on then 1e-5 else 1e5);
  // The coil between switch and diode.
  1e-4*der(i) = 24 - vs;
  vs = 24 + u + vd;
  1e-4*der(u) = id - u/10;
  annotation(experiment(StopTime = 0.005, Interval = 1e-5));
end BuckBoost;
