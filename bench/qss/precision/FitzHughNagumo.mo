// compare: v w
model FitzHughNagumo "An excitable membrane"
  Real v(start = -1, fixed = true), w(start = 1, fixed = true);
equation
  der(v) = v - v^3/3 - w + 0.5;
  der(w) = 0.08*(v + 0.7 - 0.8*w);
  annotation(experiment(StopTime = 100, Interval = 0.1));
end FitzHughNagumo;
