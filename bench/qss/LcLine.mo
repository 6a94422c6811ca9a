// A lossless line: smooth waves, where quantized states lose.
model LcLine
  parameter Integer N = 200;
  Real x[N](each start = 0, each fixed = true, each nominal = 1e-3);
  Real d = if time < 1 then 1 else 0;
equation
  der(x[1]) = d - x[2];
  for i in 2:N - 1 loop
    der(x[i]) = x[i - 1] - x[i + 1];
  end for;
  der(x[N]) = x[N - 1];
  annotation(experiment(StopTime = 200, Tolerance = 1e-3, Interval = 1));
end LcLine;
