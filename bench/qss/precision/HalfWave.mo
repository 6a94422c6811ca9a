// compare: u
model HalfWave "A rectifier with an exponential diode and a filter"
  Real u(start = 0, fixed = true), v;
equation
  v = 10*sin(314.159265358979*time);
  1e-3*der(u) = (if noEvent(v - u < 0.8) then 1e-9*(exp((v - u)/0.04) - 1) else 1e-9*(exp(20)*(1 + (v - u - 0.8)/0.04) - 1)) - u/100;
  annotation(experiment(StopTime = 0.1, Interval = 1e-4));
end HalfWave;
