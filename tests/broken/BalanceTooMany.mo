model BalanceTooMany
  Real x = 1;
equation
  x = 2*time;
end BalanceTooMany;
// command: run
// code: E0301
// place: 1:7
// hint: remove an equation or a value that says the same twice
// edit:   x = 2*time;\n ==> 
