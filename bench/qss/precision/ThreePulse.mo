// compare: i1 i2 i3 u
model ThreePulse "Three phases with coils, three diodes, a capacitor"
  Real i1(start=0,fixed=true), i2(start=0,fixed=true), i3(start=0,fixed=true), u(start=0,fixed=true);
  Real e[3], s[3], d[3]; Boolean off[3];
equation
  e = {100*sin(314.159265*time - 2.0943951*(k-1)) for k in 1:3};
  for k in 1:3 loop off[k] = s[k] < 0; d[k] = s[k]*(if off[k] then 1 else 1e-2); end for;
  i1 = s[1]*(if off[1] then 1e-5 else 1);
  i2 = s[2]*(if off[2] then 1e-5 else 1);
  i3 = s[3]*(if off[3] then 1e-5 else 1);
  2e-3*der(i1) = e[1] - d[1] - u;
  2e-3*der(i2) = e[2] - d[2] - u;
  2e-3*der(i3) = e[3] - d[3] - u;
  1e-3*der(u) = i1+i2+i3 - u/10;
  annotation(experiment(StopTime = 0.08, Interval = 1e-4));
end ThreePulse;
