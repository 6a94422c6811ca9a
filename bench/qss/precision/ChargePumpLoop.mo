// compare: vc v2
model ChargePumpLoop "A loop with a detector of phase and frequency and a charge pump pulls in from far"
  Real pr(start = 0, fixed = true), pv(start = 0.3, fixed = true), vc(start = 0, fixed = true), v2(start = 0, fixed = true), i;
  Boolean up(start = false, fixed = true), dn(start = false, fixed = true);
equation
  der(pr) = 10;
  der(pv) = 4 + 6*v2;
  i = (if up then 0.6 else 0) - (if dn then 0.6 else 0);
  der(vc) = (v2 - vc)/1.5;
  0.05*der(v2) = i - (v2 - vc)/1.5;
  when pr > 1 then
    reinit(pr, 0);
  end when;
  when pv > 1 then
    reinit(pv, 0);
  end when;
  when {pr > 1, pv > 1} then
    up = pr > 1 and not pre(dn);
    dn = pv > 1 and not pre(up);
  end when;
  annotation(experiment(StopTime = 12, Interval = 0.02));
end ChargePumpLoop;
