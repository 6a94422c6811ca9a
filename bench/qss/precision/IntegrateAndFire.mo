// compare: v
model IntegrateAndFire "A neuron that leaks and fires"
  Real v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(v) = 1.5 + 0.3*sin(time) - v;
  when v > 1 then
    reinit(v, 0);
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 10, Interval = 0.01));
end IntegrateAndFire;
