// compare: h1 h2 h3
model ThreeTanks "Three tanks with pipes in two heights; the level of the last one switches the pump"
  Real h1(start=0.2,fixed=true), h2(start=0.05,fixed=true), h3(start=0.4,fixed=true);
  Boolean pump(start=true,fixed=true);
  Real q12, q23, u12;
equation
  q12 = 0.02*(h1-h2)/sqrt(sqrt((h1-h2)^2+1e-6));
  q23 = 0.02*(h2-h3)/sqrt(sqrt((h2-h3)^2+1e-6));
  u12 = 0.05*(max(h1,0.3) - max(h2,0.3));
  when {h3 > 0.5, h3 < 0.2} then pump = h3 < 0.3; end when;
  0.1*der(h1) = (if pump then 0.012 else 0.0) - q12 - u12;
  0.1*der(h2) = q12 + u12 - q23;
  0.1*der(h3) = q23 - 0.011*sqrt(h3);
  annotation(experiment(StopTime = 200, Interval = 0.5));
end ThreeTanks;
