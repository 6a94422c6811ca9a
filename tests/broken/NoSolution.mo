model NoSolution
  Real x(start=1);
equation
  x^2 + 1 = 0;
end NoSolution;
// command: run
// code: E0503
// place: 4:3
// hint: give start values near the solution to the variables above, or fix others
