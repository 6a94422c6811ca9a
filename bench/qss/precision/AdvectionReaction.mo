// compare: u[1] u[8] u[20]
model AdvectionReaction "A front that is carried along and reacts, stiff"
  parameter Integer n = 20;
  Real u[n](each start = 0, each fixed = true);
equation
  for i in 1:n loop
    der(u[i]) = n*((if i == 1 then 1 else u[i - 1]) - u[i])/4 + 100*u[i]^2*(1 - u[i]);
  end for;
  annotation(experiment(StopTime = 4, Interval = 0.008));
end AdvectionReaction;
