// compare: i u
model Buck "Step-down converter with an ideal diode"
  Real i(start = 0, fixed = true), u(start = 0, fixed = true), s, v, d;
  Boolean closed, off;
equation
  off = s < 0;
  v = -s*(if off then 1 else 1e-5);
  d = s*(if off then 1e-5 else 1);
  i = d + (24 - v)/(if closed then 1e-5 else 1e5);
  1e-4*der(i) = v - u;
  1e-4*der(u) = i - u/10;
  when sample(0, 0.5e-4) then
    closed = not pre(closed);
  end when;
initial equation
  pre(closed) = false;
  annotation(experiment(StopTime = 0.002, Interval = 4e-6));
end Buck;
