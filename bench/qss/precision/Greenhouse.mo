// compare: T w c Ts g
model Greenhouse "Air, soil and glass of a greenhouse; windows, heating and gas with hysteresis, water that condenses"
  Real T(start = 15, fixed = true), w(start = 8, fixed = true), c(start = 400, fixed = true), Ts(start = 14, fixed = true), g(start = 14, fixed = true);
  Real sun, sat, cond, vent, To;
  Boolean open(start = false, fixed = true), heat(start = false, fixed = true), dose(start = true, fixed = true);
equation
  sun = max(0, sin(2*3.141592653589793*time/24 - 1.5));
  To = 10 + 6*sin(2*3.141592653589793*time/24 - 2);
  sat = 4.85*exp(0.0632*g);
  cond = max(0, w - sat);
  when T > 25 then open = true; elsewhen T < 21 then open = false; end when;
  when T < 13 then heat = true; elsewhen T > 15 then heat = false; end when;
  when c < 600 then dose = true; elsewhen c > 900 then dose = false; end when;
  vent = if open then 6 else 0.3;
  der(T) = vent*(To - T) + 18*sun + 8*(Ts - T)/4 + 2*(g - T) + (if heat then 20 else 0) + 0.6*cond;
  der(Ts) = 0.05*(T - Ts) + 0.3*sun;
  der(g) = 40*(0.5*(T + To) - g);
  der(w) = vent*(6 - w) + 4*sun + 0.4 - 30*cond;
  der(c) = vent*(400 - c) - 120*sun + (if dose then 300 else 0);
  annotation(experiment(StopTime = 72, Interval = 0.05));
end Greenhouse;
