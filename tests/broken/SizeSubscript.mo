model SizeSubscript
  Real a[2] = {1, 2};
  Real b = a[3];
end SizeSubscript;
// command: run
// code: E0318
// place: 3:14
// hint: subscripts count from 1; `end` is the last one
// edit: a[3] ==> a[end]
