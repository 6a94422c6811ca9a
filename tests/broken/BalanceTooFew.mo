model BalanceTooFew
  Real x;
  Real y;
equation
  x = 2*time;
end BalanceTooFew;
// command: run
// code: E0301
// place: 1:7
// hint: add the missing equations, or give these variables a value
// edit: x = 2*time; ==> x = 2*time; y = x;
