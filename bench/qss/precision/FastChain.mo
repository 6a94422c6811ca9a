// compare: x[1] x[5] x[10]
model FastChain "Ten capacitors with small resistors between them, a square wave at one end: slow only as a whole"
  parameter Integer n = 10;
  Real x[n](each start = 0, each fixed = true);
equation
  der(x[1]) = (if mod(time, 2) < 1 then 1 else 0) - x[1] + 1e4*(x[2] - x[1]);
  for k in 2:n - 1 loop
    der(x[k]) = 1e4*(x[k - 1] - 2*x[k] + x[k + 1]);
  end for;
  der(x[n]) = 1e4*(x[n - 1] - x[n]) - 0.5*x[n];
  annotation(experiment(StopTime = 10, Interval = 0.02));
end FastChain;
