model SyntaxAssignInEquation
  Real x;
equation
  x := 1;
end SyntaxAssignInEquation;
// command: run
// code: E0112
// place: 4:5
// hint: write `=`, or put the statement into an `algorithm` section
// edit: := ==> =
