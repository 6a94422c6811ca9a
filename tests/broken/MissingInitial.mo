model MissingInitial
  Real x;
equation
  der(x) = -x;
end MissingInitial;
// command: run
// code: W0501
// place: 2:8
// hint: set `fixed = true` or add initial equations
// edit: Real x; ==> Real x(start=1, fixed=true);
