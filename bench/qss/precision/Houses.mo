// compare: T[1] T[7] T[20]
model Houses "Twenty of them, each with its own losses"
  parameter Integer n = 20;
  Real T[n](start = {18 + 0.1*k for k in 1:n}, each fixed = true);
  Boolean on[n](each start = true, each fixed = true);
equation
  for k in 1:n loop
    der(T[k]) = -(T[k] - 10 - 2*sin(time))/(2 + 0.1*k) + (if on[k] then 7 else 0);
    on[k] = T[k] < 20 or (pre(on[k]) and T[k] < 21);
  end for;
  annotation(experiment(StopTime = 10, Interval = 0.02));
end Houses;
