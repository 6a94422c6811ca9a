// Interleaved of ../Interleaved.mo for the stand-alone QSS solver.
model interleaved
  constant Integer N = 4;
  parameter Real C = 1e-4, L = 1e-4, R = 10, U = 24, P = 1e-4, DC = 0.5, Ron = 1e-5, Roff = 1e5;
  Real uC, iL[N];
  discrete Real Rs[N](each start = 1e5), Rd[N](each start = 1e5), next(start = 1e-8), last;
equation
  der(uC) = (sum(iL) - uC/R)/C;
  for i in 1:N loop
    der(iL[i]) = ((U/Rs[i] - iL[i])*(Rs[i]*Rd[i]/(Rs[i] + Rd[i])) - uC)/L;
  end for;
algorithm
  when time > next then
    last := next;
    next := next + P;
  end when;
  for i in 1:N loop
    when time - last - P*(i - 1)/N - 0.01*P > 0 then
      Rs[i] := Ron;
      Rd[i] := Roff;
    end when;
  end for;
  for i in 1:N loop
    when time - last - P*(i - 1)/N - DC*P/N - 0.01*P > 0 then
      Rs[i] := Roff;
      Rd[i] := Ron;
    end when;
  end for;
  for i in 1:N loop
    when iL[i] < 0 then
      Rd[i] := Roff;
    end when;
  end for;
  annotation(experiment(
    MMO_Description = "", MMO_Solver = LIQSS2, MMO_SymDiff = true, MMO_PartitionMethod = Metis,
    MMO_Output = {uC, iL[1], iL[2], iL[3], iL[4]}, MMO_OutputType = CI_Sampled, MMO_Period = {1e-5},
    Jacobian = Dense, MMO_BDF_PDepth = 1, MMO_BDF_Max_Step = 0,
    StartTime = 0, StopTime = 0.01, Tolerance = {1e-3}, AbsTolerance = {1e-3}));
end interleaved;
