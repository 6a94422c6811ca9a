// compare: C2 CP M pM Y YP
model CellCycle "Tyson's cell cycle: stiff reactions of which C2 + CP + pM + M is conserved"
  Real C2(start = 0.25, fixed = true), CP(start = 0.5, fixed = true), M(start = 0, fixed = true), pM(start = 0, fixed = true);
  Real Y(start = 0, fixed = true), YP(start = 0, fixed = true), F;
equation
  F = 0.018 + 180*(M/(C2 + CP + pM + M))^2;
  der(C2) = M - 1000*C2 + 100*CP;
  der(CP) = -200*CP*Y + 1000*C2 - 100*CP;
  der(pM) = 200*CP*Y - pM*F;
  der(M) = pM*F - M;
  der(Y) = 0.015 - 200*CP*Y;
  der(YP) = M - 0.6*YP;
  annotation(experiment(StopTime = 100, Interval = 0.1));
end CellCycle;
