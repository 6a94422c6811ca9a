// compare: v[1] v[4] g[2] g[6]
model FiringNetwork "Six of them in a ring that excite their neighbours"
  parameter Integer n = 6;
  Real v[n](start = {0.1*k for k in 1:n}, each fixed = true), g[n](each start = 0, each fixed = true);
equation
  for k in 1:n loop
    der(v[k]) = 1.2 + 0.05*k - v[k] + g[k];
    der(g[k]) = -4*g[k];
    when v[k] > 1 then
      reinit(v[k], 0);
    end when;
    when v[if k == 1 then n else k - 1] > 1 then
      reinit(g[k], g[k] + 0.2);
    end when;
  end for;
  annotation(experiment(StopTime = 10, Interval = 0.01));
end FiringNetwork;
