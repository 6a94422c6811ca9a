// Inverters of ../Inverters.mo for the stand-alone QSS solver.
model inverters
  constant Integer N = 501;
  parameter Real UOP = 5, G = 100, UTH = 1;
  Real x[N + 1];
  discrete Real s[N], r[N];
  discrete Real u, next(start = 5);
initial algorithm
  for i in 1:250 loop
    x[2*i] := 5;
    x[2*i + 1] := 0.006247;
  end for;
  x[502] := 5;
  for i in 1:N loop
    if x[i] > UTH then
      s[i] := 1;
    else
      s[i] := 0;
    end if;
    if x[i] - x[i + 1] > UTH then
      r[i] := 1;
    else
      r[i] := 0;
    end if;
  end for;
equation
  der(x[1]) = u;
  for i in 2:N + 1 loop
    der(x[i]) = UOP - x[i] - G*(s[i - 1]*(x[i - 1] - UTH)^2 - r[i - 1]*(x[i - 1] - x[i] - UTH)^2);
  end for;
algorithm
  for i in 1:N loop
    when x[i] > UTH then
      s[i] := 1;
    elsewhen x[i] <= UTH then
      s[i] := 0;
    end when;
  end for;
  for i in 1:N loop
    when x[i] - x[i + 1] > UTH then
      r[i] := 1;
    elsewhen x[i] - x[i + 1] <= UTH then
      r[i] := 0;
    end when;
  end for;
  when time > next then
    if next == 5 then
      u := 1;
      next := 10;
    elseif next == 10 then
      u := 0;
      next := 15;
    elseif next == 15 then
      u := -2.5;
      next := 17;
    else
      u := 0;
      next := 1e10;
    end if;
  end when;
  annotation(experiment(
    MMO_Description = "", MMO_Solver = LIQSS2, MMO_SymDiff = true, MMO_PartitionMethod = Metis,
    MMO_Output = {x[2], x[101], x[251], x[400]}, MMO_OutputType = CI_Sampled, MMO_Period = {1},
    Jacobian = Dense, MMO_BDF_PDepth = 1, MMO_BDF_Max_Step = 0,
    StartTime = 0, StopTime = 200, Tolerance = {1e-3}, AbsTolerance = {1e-3}));
end inverters;
