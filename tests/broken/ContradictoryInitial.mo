model ContradictoryInitial
  Real x(start=1, fixed=true);
initial equation
  x = 2;
equation
  der(x) = -x;
end ContradictoryInitial;
// command: run
// code: W0503
// place: -
// hint: the other conditions determine it already; remove `fixed = true`
// edit: , fixed=true ==> 
