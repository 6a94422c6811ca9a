model JumpInLoop
  Real T(start=310), c, r;
  Real cool;
equation
  0 = 1 - c - r;
  0 = (320 - T) + 200*r - 0.8*(T - 300) - cool;
  r = 7.2e10*exp(-8750/T)*c;
  cool = if noEvent(T > 320) then 2 else 0;
end JumpInLoop;
// command: run
// code: E0503
// place: 7:3
// hint: give start values near the solution
// edit: start=310 ==> start=420
