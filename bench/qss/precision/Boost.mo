// compare: i u
model Boost "Step-up converter with an exponential diode"
  Real i(start = 0, fixed = true), u(start = 0, fixed = true), vs, id;
  Boolean on;
equation
  on = sin(2*3.14159265358979*1e4*time) > 0;
  i = id + vs/(if on then 1e-3 else 1e5);
  id = 1e-9*(exp(min((vs - u)/0.04, 40)) - 1);
  1e-3*der(i) = 12 - vs;
  1e-4*der(u) = id - u/20;
  annotation(experiment(StopTime = 0.01, Interval = 2e-5));
end Boost;
