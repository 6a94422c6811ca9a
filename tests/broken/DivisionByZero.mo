model DivisionByZero
  Real x(start=1, fixed=true);
equation
  der(x) = 1/(time - time);
end DivisionByZero;
// command: run
// code: E0611
// place: 4:3
