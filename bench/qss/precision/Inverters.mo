// compare: u[1] u[2] u[10]
model Inverters "A chain of logic inverters"
  parameter Integer n = 10;
  parameter Real Uop = 5, Ut = 1, g = 100;
  Real u[n](start = {if mod(k, 2) == 1 then Uop else 0.0 for k in 1:n}, each fixed = true), uin;
equation
  uin = if time < 5 then 0 elseif time < 7 then (time - 5)*Uop/2 elseif time < 10 then Uop elseif time < 12 then Uop*(12 - time)/2 else 0;
  for k in 1:n loop
    der(u[k]) = Uop - u[k] - g*((if (if k == 1 then uin else u[k - 1]) - Ut > 0 then ((if k == 1 then uin else u[k - 1]) - Ut)^2 else 0)
      - (if (if k == 1 then uin else u[k - 1]) - u[k] - Ut > 0 then ((if k == 1 then uin else u[k - 1]) - u[k] - Ut)^2 else 0));
  end for;
  annotation(experiment(StopTime = 30, Interval = 0.06));
end Inverters;
