model VariabilityParameter
  Real x = time;
  parameter Real p = 2*x;
end VariabilityParameter;
// command: run
// code: E0233
// place: 3:22
// hint: declare `x` as a parameter, or `p` without `parameter`
// edit: parameter Real p ==> Real p
