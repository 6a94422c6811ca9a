model ContradictoryInitial
  Real x(start=1, fixed=true);
initial equation
  x = 2;
equation
  der(x) = -x;
end ContradictoryInitial;
// command: run
// code: E0503
// place: 2:8
// hint: remove it, or a fixed start value or initial equation it depends on
// edit: , fixed=true ==> 
