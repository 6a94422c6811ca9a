// compare: T[1] T[3] T[6] w[2]
model Rooms "Six rooms with walls, thermostats and a sampled supply controller"
  parameter Integer n = 6;
  Real T[n](each start = 15, each fixed = true), w[n](each start = 10, each fixed = true), out;
  Boolean heat[n](each start = true, each fixed = true);
  discrete Real level(start = 1, fixed = true);
equation
  out = 5 + 8*sin(7.27e-5*time);
  when sample(900, 900) then
    level = min(2, max(0.3, 1 + 0.1*(21 - sum(T)/n)));
  end when;
  for k in 1:n loop
    heat[k] = T[k] < 20.5 or (pre(heat[k]) and T[k] < 21.5);
    1e5*(1 + 0.1*k)*der(T[k]) = (if heat[k] then 1500*level else 0) - 50*(T[k] - w[k])
      - 10*(T[k] - T[if k == n then 1 else k + 1]) - 10*(T[k] - T[if k == 1 then n else k - 1]);
    3e6*der(w[k]) = 50*(T[k] - w[k]) - 40*(w[k] - out);
  end for;
  annotation(experiment(StopTime = 86400, Interval = 200));
end Rooms;
