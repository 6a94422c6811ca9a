// compare: i1 i2 uc uo
model Sepic "SEPIC converter with an ideal diode and a pulsed switch"
  Real i1(start = 0, fixed = true), i2(start = 0, fixed = true), uc(start = 0, fixed = true), uo(start = 0, fixed = true);
  Real s, vd, id, rs, va, vb, ic;
  Boolean off, on;
equation
  on = mod(time, 1e-5) < 4e-6;
  rs = if on then 1e-2 else 1e5;
  ic = i1 - va/rs;
  vb = va - uc;
  i2 + id = ic;
  off = s < 0;
  vd = s*(if off then 1 else 1e-2);
  id = s*(if off then 1e-5 else 1);
  vd = vb - uo;
  50e-6*der(i1) = 12 - 0.05*i1 - va;
  50e-6*der(i2) = vb - 0.05*i2;
  10e-6*der(uc) = ic;
  100e-6*der(uo) = id - uo/10;
  annotation(experiment(StopTime = 2e-3, Interval = 4e-6));
end Sepic;
