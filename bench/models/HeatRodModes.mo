// u_t = u_xx on n inner points of (0, 1) with both ends at zero. The start is a sum of sines, which are eigenvectors of the
// difference operator: the exact solution of the equations is known.
model HeatRodModes "Heat conduction with a known solution"
  parameter Integer n = 1000 "Number of points";
  parameter Real inv_dx2 = (n + 1.0)^2;
  constant Real pi = 3.14159265358979324;
  Real u[n](start={sin(pi*i/(n + 1)) + 0.5*sin(3*pi*i/(n + 1)) + 0.3*sin(10*pi*i/(n + 1)) + 0.2*sin(31*pi*i/(n + 1)) for i in 1:n},
    each fixed=true);
equation
  der(u[1]) = inv_dx2*(u[2] - 2*u[1]);
  for i in 2:n - 1 loop
    der(u[i]) = inv_dx2*(u[i - 1] - 2*u[i] + u[i + 1]);
  end for;
  der(u[n]) = inv_dx2*(u[n - 1] - 2*u[n]);
  annotation(experiment(StopTime=0.2, Tolerance=1e-6, Interval=0.01));
end HeatRodModes;
