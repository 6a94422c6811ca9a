// compare: T
model Thermostat "A room with a heater that switches"
  Real T(start = 18, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  der(T) = -(T - 10)/3 + (if on then 6 else 0);
  on = T < 20 or (pre(on) and T < 21);
  annotation(experiment(StopTime = 20, Interval = 0.02));
end Thermostat;
