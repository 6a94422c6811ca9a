// compare: x y u v
model CoupledRelaxation "Two relaxation oscillators that pull at each other"
  Real x(start = -1, fixed = true), y(start = 0.2, fixed = true), u(start = 1, fixed = true), v(start = -0.2, fixed = true);
equation
  der(x) = 200*(x - x^3/3 - y + 0.3*u);
  der(y) = x + 0.3 - 0.5*y;
  der(u) = 200*(u - u^3/3 - v + 0.3*x);
  der(v) = 0.8*(u + 0.2 - 0.5*v);
  annotation(experiment(StopTime = 20, Interval = 0.02));
end CoupledRelaxation;
