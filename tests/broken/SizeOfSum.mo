model SizeOfSum
  Real a[2] = {1, 2};
  Real b[3] = {1, 2, 3};
  Real c[3] = a + b;
end SizeOfSum;
// command: run
// code: E0317
// place: 4:15
// hint: change one of the declarations; `size(x, 1)` gives the size of an array
