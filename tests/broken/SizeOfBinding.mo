model SizeOfBinding
  Real x[3] = {1, 2};
end SizeOfBinding;
// command: run
// code: E0317
// place: 2:15
// hint: change one of the declarations; `size(x, 1)` gives the size of an array
// edit: {1, 2} ==> {1, 2, 3}
