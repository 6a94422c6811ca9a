// compare: v x n
model GearShift "A car climbs hills with three gears that change by the speed of its engine"
  Real v(start = 1, fixed = true), x(start = 0, fixed = true), n(start = 100, fixed = true);
  Integer gear(start = 1, fixed = true);
  Real ratio, slope, thr;
equation
  ratio = if gear == 1 then 12 else if gear == 2 then 7 else 4;
  slope = 0.05*sin(x/60);
  thr = if v < 22 then 1 else 0.2;
  when n > 300 and pre(gear) < 3 then gear = pre(gear) + 1; elsewhen n < 120 and pre(gear) > 1 then gear = pre(gear) - 1; end when;
  der(n) = 8*(ratio*v*3 - n);
  der(v) = (thr*120*ratio*(1 - (n/500)^2) - 9.81*1200*slope - 0.6*v^2 - 150)/1200;
  der(x) = v;
  annotation(experiment(StopTime = 120, Interval = 0.1));
end GearShift;
