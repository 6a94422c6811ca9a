// run: --points 20
// Conditions on a source that is much faster than the output points and than the state: in 2 s, sin(2 pi 50 t) passes 1/2
// upwards 100 times and is positive for half of the time.
model FastSource
  Real u = sin(2*Modelica.Constants.pi*50*time);
  Integer count(start=0, fixed=true);
  Real x(start=0, fixed=true);
equation
  when u > 0.5 then
    count = pre(count) + 1;
  end when;
  der(x) = if u > 0 then 1 else 0;
  when terminal() then
    assert(count == 100, "every half-wave is an event");
    assert(abs(x - 1) < 1e-5, "half of the time");
  end when;
  annotation(experiment(StopTime=2));
end FastSource;
