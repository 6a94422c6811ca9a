// run: --solver euler --step 1e-4
// Step response of y'' = w^2 (u - y) - 2 D w y' with D = 1/2, w = 20: y = 1 - exp(-D w t)(cos(wd t) + D/sqrt(1 - D^2) sin(wd t)),
// wd = w sqrt(1 - D^2); the trapezoidal rule is off by (w T)^2/12 of the phase. At a stop: y = y_max at rest, and from rest at the
// stop with u = 0 the response 1 - y runs down again in the same way.
model LimitedFilter "Filter between stops, against closed forms"
  Ferrica.TLM.LimitedFilter free(w=20, D=0.5, T=1e-4);
  Ferrica.TLM.LimitedFilter stopped(w=20, D=0.5, T=1e-4, y_max=1);
  Real up "Step response";
  Real down "Step response, half a second later";
  constant Real wd = 20*sqrt(0.75);
equation
  free.u = 1;
  stopped.u = if time < 0.5 then 1.5 else 0;
  up = 1 - exp(-10*time)*(cos(wd*time) + 0.5/sqrt(0.75)*sin(wd*time));
  down = if time < 0.5 then 0 else 1 - exp(-10*(time - 0.5))*(cos(wd*(time - 0.5)) + 0.5/sqrt(0.75)*sin(wd*(time - 0.5)));
  assert(abs(free.y - up) < 3e-3, "Step response");
  assert(stopped.y <= 1, "Limit");
  assert(time < 0.3 or time > 0.499 or abs(stopped.y - 1) < 1e-12 and abs(stopped.v) < 1e-12, "At rest at the stop");
  assert(time < 0.5 or abs(stopped.y - (1 - down)) < 3e-3, "Off the stop at once");
  annotation(experiment(StopTime=1, Interval=1e-2));
end LimitedFilter;
