// compare: u[1] u[6] i[3] i[12]
model LcLine "A line of inductors and capacitors"
  parameter Integer n = 12;
  Real u[n](each start = 0, each fixed = true), i[n](each start = 0, each fixed = true);
equation
  for k in 1:n loop
    der(i[k]) = (if k == 1 then (if time < 10 then 1 else 0) else u[k - 1]) - u[k];
    der(u[k]) = i[k] - (if k == n then u[n] else i[k + 1]);
  end for;
  annotation(experiment(StopTime = 20, Interval = 0.04));
end LcLine;
