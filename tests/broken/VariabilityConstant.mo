model VariabilityConstant
  constant Real c = time;
end VariabilityConstant;
// command: run
// code: E0233
// place: 2:21
// hint: declare `c` without `constant`, or give it its value by an initial equation
// edit: constant Real c ==> Real c
