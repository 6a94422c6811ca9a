// compare: u[1] u[5] v[3] v[10]
model BrusselatorRod "The same along a rod with diffusion"
  parameter Integer n = 10;
  parameter Real d = 0.02*(n + 1)^2;
  Real u[n](start = {1 + sin(2*3.14159265358979*i/(n + 1)) for i in 1:n}, each fixed = true);
  Real v[n](each start = 3, each fixed = true);
equation
  for i in 1:n loop
    der(u[i]) = 1 + u[i]^2*v[i] - 4*u[i] + d*((if i == 1 then 1 else u[i - 1]) - 2*u[i] + (if i == n then 1 else u[i + 1]));
    der(v[i]) = 3*u[i] - u[i]^2*v[i] + d*((if i == 1 then 3 else v[i - 1]) - 2*v[i] + (if i == n then 3 else v[i + 1]));
  end for;
  annotation(experiment(StopTime = 5, Interval = 0.01));
end BrusselatorRod;
