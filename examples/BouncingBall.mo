// A ball falls, bounces with 80 % of its speed and comes to rest.
// Look for: the bounces come faster and faster; their times form a geometric series with the limit
// sqrt(2 h0/g)*(1 + e)/(1 - e) = 4.06 s. A ball that bounces less than 1 mm high is put to rest, or there
// would be infinitely many events in finite time.
model BouncingBall "Bouncing ball"
  parameter Real e = 0.8 "Speed after over speed before a bounce";
  parameter Real g(unit="m/s2") = 9.81 "Gravity";
  parameter Real v_rest(unit="m/s") = 0.14 "Slower bounces end the motion";
  Real h(start=1, fixed=true, unit="m") "Height";
  Real v(start=0, fixed=true, unit="m/s") "Velocity";
  Boolean flying(start=true, fixed=true) "false: at rest on the floor";
  Integer bounces(start=0, fixed=true) "Number of bounces";
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when h < 0 then
    bounces = pre(bounces) + 1;
    flying = -e*pre(v) > v_rest;
    reinit(v, if flying then -e*pre(v) else 0);
    reinit(h, 0);
  end when;
  annotation(experiment(StopTime=5, Interval=0.01));
end BouncingBall;
