// compare: i[1] i[2] i[3] u
model SixPulse "Six ideal diodes behind three line coils, with a capacitor"
  Real i[3](each start = 0, each fixed = true), u(start = 0, fixed = true);
  Real v[3], s[6], vd[6], id[6], p[3], low;
  Boolean off[6];
equation
  for k in 1:6 loop
    off[k] = s[k] < 0;
    vd[k] = s[k]*(if off[k] then 1 else 1e-3);
    id[k] = s[k]*(if off[k] then 1e-4 else 1);
  end for;
  for k in 1:3 loop
    v[k] = 100*sin(314.159265358979*time - (k - 1)*2.0943951023931953);
    vd[k] = p[k] - (u + low);
    vd[k + 3] = low - p[k];
    i[k] = id[k] - id[k + 3];
    1e-3*der(i[k]) = v[k] - 0.05*i[k] - p[k];
  end for;
  1e-3*der(u) = id[1] + id[2] + id[3] - u/10;
  1e-3*low = sum(i);
  annotation(experiment(StopTime = 0.025, Interval = 1e-4));
end SixPulse;
