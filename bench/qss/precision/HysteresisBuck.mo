// compare: i u
model HysteresisBuck "Buck with hysteresis control of the output voltage seen through the ESR"
  Real i(start = 0, fixed = true), u(start = 0, fixed = true);
  Real vs, vo;
  Boolean on(start = true, fixed = true);
equation
  vo = u + 0.05*(i - vo/4);
  on = vo < 12 - 0.05 or (pre(on) and vo < 12 + 0.05);
  vs = if on then 24 else -0.7;
  1e-4*der(i) = vs - vo - 0.05*i;
  100e-6*der(u) = i - vo/4;
  annotation(experiment(StopTime = 5e-3, Interval = 1e-5));
end HysteresisBuck;
