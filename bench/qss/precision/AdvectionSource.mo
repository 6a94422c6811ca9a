// compare: u[1] u[10] u[20]
model AdvectionSource "Transport with a source that moves"
  parameter Integer n = 20;
  Real u[n](each start = 0, each fixed = true);
equation
  for i in 1:n loop
    der(u[i]) = n*((if i == 1 then sin(6*time)^2 else u[i - 1]) - u[i]) + 0.5*exp(-20*(i/n - 0.5*time)^2);
  end for;
  annotation(experiment(StopTime = 2, Interval = 0.004));
end AdvectionSource;
