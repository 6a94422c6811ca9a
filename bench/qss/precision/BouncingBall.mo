// compare: h v
model BouncingBall "A ball that loses a fifth of its speed"
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
  end when;
  annotation(experiment(StopTime = 3, Interval = 0.003));
end BouncingBall;
