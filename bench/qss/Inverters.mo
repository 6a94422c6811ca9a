// Chain of logical inverters; x[1] is the input, made by an integrator.
model Inverters
  parameter Integer N = 501 "Inverters";
  parameter Real UOP = 5;
  parameter Real G = 100;
  parameter Real UTH = 1;
  Real x[N + 1](start = {if i == 1 then 0 else if mod(i, 2) == 0 then 5 else 0.006247 for i in 1:N + 1},
    each fixed = true, each nominal = 1);
  Real u = if time > 17 then 0 elseif time > 15 then -2.5 elseif time > 10 then 0 elseif time > 5 then 1 else 0;
equation
  der(x[1]) = u;
  for i in 2:N + 1 loop
    der(x[i]) = UOP - x[i] - G*((if x[i - 1] > UTH then (x[i - 1] - UTH)^2 else 0)
      - (if x[i - 1] - x[i] > UTH then (x[i - 1] - x[i] - UTH)^2 else 0));
  end for;
  annotation(experiment(StopTime = 200, Tolerance = 1e-3, Interval = 1));
end Inverters;
