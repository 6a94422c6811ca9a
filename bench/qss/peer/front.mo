// AdvectionDiffusionReaction of ../AdvectionDiffusionReaction.mo for the stand-alone QSS solver.
model front
  constant Integer N = 1000;
  parameter Real a = 1, d = 1e-3, r = 1000, dx = 0.01;
  Real u[N];
initial algorithm
  for i in 1:200 loop
    u[i] := 1;
  end for;
equation
  der(u[1]) = -a*(u[1] - 1)/dx + d*(u[2] - 2*u[1] + 1)/dx^2 + r*u[1]^2*(1 - u[1]);
  for i in 2:N - 1 loop
    der(u[i]) = -a*(u[i] - u[i - 1])/dx + d*(u[i + 1] - 2*u[i] + u[i - 1])/dx^2 + r*u[i]^2*(1 - u[i]);
  end for;
  der(u[N]) = -a*(u[N] - u[N - 1])/dx + d*(2*u[N - 1] - 2*u[N])/dx^2 + r*u[N]^2*(1 - u[N]);
  annotation(experiment(
    MMO_Description = "", MMO_Solver = LIQSS2, MMO_SymDiff = true, MMO_PartitionMethod = Metis,
    MMO_Output = {u[250], u[500], u[750], u[1000]}, MMO_OutputType = CI_Sampled, MMO_Period = {0.01},
    Jacobian = Dense, MMO_BDF_PDepth = 1, MMO_BDF_Max_Step = 0,
    StartTime = 0, StopTime = 10, Tolerance = {1e-3}, AbsTolerance = {1e-3}));
end front;
