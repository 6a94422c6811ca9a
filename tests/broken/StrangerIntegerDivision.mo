model StrangerIntegerDivision
  parameter Integer n = 7;
  parameter Integer half = n/2;
  Real x[half] = fill(1.0, half);
end StrangerIntegerDivision;
// command: run
// code: E0321
// place: 3:28
// hint: `/` gives a Real, of whole numbers too: write `div(a, b)`
// edit: n/2 ==> div(n, 2)
