// compare: ub uc
model CommonEmitter "An amplifier with a transistor (Ebers and Moll, forward)"
  Real ub(start = 0.6, fixed = true), uc(start = 6, fixed = true), ib, ic;
equation
  ib = 1e-14*(exp(ub/0.02585) - 1);
  ic = 100*ib*(1 - exp(-max(uc, 0)/0.2));
  1e-6*der(ub) = (12 - ub)/1e5 + (0.05*sin(6283.18530717959*time) + 0.7 - ub)/1e4 - ib;
  1e-7*der(uc) = (12 - uc)/2200 - ic;
  annotation(experiment(StopTime = 0.004, Interval = 1e-5));
end CommonEmitter;
