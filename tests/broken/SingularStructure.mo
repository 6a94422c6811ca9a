model SingularStructure
  Real x;
  Real y;
equation
  x + y = 1;
  2*time = 3*time*0 + x - x + 1;
end SingularStructure;
// command: run
// code: E0401
// place: 6:3
// hint: two parts of the model prescribe the same quantity; remove one of them
