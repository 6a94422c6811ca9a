// compare: T[1] T[4] T[10]
model HeatRod "A rod heated at one end"
  parameter Integer n = 10;
  Real T[n](each start = 0, each fixed = true);
equation
  for i in 1:n loop
    der(T[i]) = n^2*((if i == 1 then 1 else T[i - 1]) - 2*T[i] + (if i == n then T[n] else T[i + 1]));
  end for;
  annotation(experiment(StopTime = 1, Interval = 0.002));
end HeatRod;
