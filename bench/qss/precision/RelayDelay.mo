// compare: T c
model RelayDelay "A room whose heat comes late, and a relay that feels its temperature late"
  Real T(start = 18, fixed = true), c(start = 18, fixed = true), q;
  Boolean on(start = true, fixed = true);
equation
  q = if on then 1 else 0;
  der(T) = (5 - T)/20 + 1.4*delay(q, 3);
  der(c) = (T - c)/2;
  when c > 21 then on = false; elsewhen c < 20 then on = true; end when;
  annotation(experiment(StopTime = 150, Interval = 0.1));
end RelayDelay;
