model CyclicParameters
  parameter Real a = b + 1;
  parameter Real b = 2*a;
end CyclicParameters;
// command: run
// code: E0319
// place: 2:18
// hint: give one of the parameters on the way a value of its own
// edit: 2*a ==> 3
