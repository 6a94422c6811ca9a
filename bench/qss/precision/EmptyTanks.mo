// compare: h1 h2 h3
model EmptyTanks "Three tanks that begin empty, pipes with a loop of linear and square losses"
  Real h1(start = 0, fixed = true), h2(start = 0, fixed = true), h3(start = 0, fixed = true);
  Real q12(start = 0.1), q23(start = 0.1), qo(start = 0.1);
equation
  h1 - h2 = q12 + 5*q12*abs(q12);
  h2 - h3 = q23 + 5*q23*abs(q23);
  h3 = 0.5*qo + 4*qo*abs(qo);
  der(h1) = 0.2*(1 + sin(time)) - q12;
  der(h2) = q12 - q23;
  der(h3) = q23 - qo;
  annotation(experiment(StopTime = 20, Interval = 0.05));
end EmptyTanks;
