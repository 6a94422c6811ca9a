// compare: x y vx vy
model BallOnStairs "A ball that bounces down a staircase, by a stiff floor"
  Real x(start = 0.575, fixed = true), y(start = 10.5, fixed = true), vx(start = 0.5, fixed = true), vy(start = 0, fixed = true);
  Integer step(start = 10, fixed = true);
  Boolean contact;
equation
  contact = y < step;
  der(x) = vx;
  der(vx) = -0.1*vx;
  der(y) = vy;
  der(vy) = -9.81 - 0.1*vy - (if contact then 30*vy + 1e4*(y - step) else 0);
  when x > 11 - pre(step) then
    step = pre(step) - 1;
  end when;
  annotation(experiment(StopTime = 8, Interval = 0.01));
end BallOnStairs;
