// LcLine of ../LcLine.mo for the stand-alone QSS solver.
model line
  constant Integer N = 200;
  Real x[N];
  discrete Real d(start = 1);
equation
  der(x[1]) = d - x[2];
  for i in 2:N - 1 loop
    der(x[i]) = x[i - 1] - x[i + 1];
  end for;
  der(x[N]) = x[N - 1];
algorithm
  when time > 1 then
    d := 0;
  end when;
  annotation(experiment(
    MMO_Description = "", MMO_Solver = LIQSS2, MMO_SymDiff = true, MMO_PartitionMethod = Metis,
    MMO_Output = {x[1], x[50], x[100], x[200]}, MMO_OutputType = CI_Sampled, MMO_Period = {1},
    Jacobian = Dense, MMO_BDF_PDepth = 1, MMO_BDF_Max_Step = 0,
    StartTime = 0, StopTime = 200, Tolerance = {1e-3}, AbsTolerance = {1e-6}));
end line;
