// compare: u i
model DiodeBridge "Four ideal diodes with a coil and a capacitor"
  Real u(start = 0, fixed = true), i(start = 0, fixed = true);
  Real v, s[4], vd[4], id[4], a, b;
  Boolean off[4];
equation
  v = 24*sin(314.159265358979*time);
  for k in 1:4 loop
    off[k] = s[k] < 0;
    vd[k] = s[k]*(if off[k] then 1 else 1e-3);
    id[k] = s[k]*(if off[k] then 1e-4 else 1);
  end for;
  // Source with its coil from b to a; a and b to the load by the diodes.
  5e-3*der(i) = v - i - (a - b);
  i = id[1] - id[3];
  -i = id[2] - id[4];
  vd[1] = a - u;
  vd[2] = b - u;
  vd[3] = -a;
  vd[4] = -b;
  1e-3*der(u) = id[1] + id[2] - u/50;
  annotation(experiment(StopTime = 0.06, Interval = 1e-4));
end DiodeBridge;
