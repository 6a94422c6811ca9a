// compare: w i xi
model MotorControl "A motor with a sampled controller"
  Real w(start = 0, fixed = true), i(start = 0, fixed = true), xi(start = 0, fixed = true);
  discrete Real u(start = 0, fixed = true);
equation
  der(i) = (u - 0.5*i - 0.1*w)/0.01;
  der(w) = (0.1*i - 0.01*w - (if time > 1 then 0.2 else 0))/0.005;
  der(xi) = 10 - w;
  when sample(0, 0.01) then
    u = 0.2*(10 - w) + 2*xi;
  end when;
  annotation(experiment(StopTime = 2, Interval = 0.002));
end MotorControl;
