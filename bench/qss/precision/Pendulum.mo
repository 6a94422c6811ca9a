// compare: phi w
model Pendulum "A pendulum with a little friction"
  Real phi(start = 2, fixed = true), w(start = 0, fixed = true);
equation
  der(phi) = w;
  der(w) = -9.81*sin(phi) - 0.1*w;
  annotation(experiment(StopTime = 10, Interval = 0.01));
end Pendulum;
