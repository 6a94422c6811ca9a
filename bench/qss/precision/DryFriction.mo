// compare: x v
model DryFriction "A block on a belt that sticks and slips"
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x - 0.1*v + (if v < 0.5 then 0.6 else -0.4);
  annotation(experiment(StopTime = 10, Interval = 0.01));
end DryFriction;
