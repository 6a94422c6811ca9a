// compare: x v
model BeltFriction "A mass on a running belt sticks and slips under a swinging force, between three modes"
  Real x(start = 0, fixed = true), v(start = 0, fixed = true), force, friction;
  Integer mode(start = -1, fixed = true);
equation
  der(x) = v;
  der(v) = force + friction;
  force = -40*x - 0.3*v + 2*sin(1.3*time);
  friction = if mode == 1 then -3 elseif mode == -1 then 3 else -force;
  when pre(mode) == 1 and v < 0.25 then
    mode = if abs(force) <= 4 then 0 elseif force > 0 then 1 else -1;
  elsewhen pre(mode) == -1 and v > 0.25 then
    mode = if abs(force) <= 4 then 0 elseif force > 0 then 1 else -1;
  elsewhen pre(mode) == 0 and force > 4 then
    mode = 1;
  elsewhen pre(mode) == 0 and force < -4 then
    mode = -1;
  end when;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end BeltFriction;
