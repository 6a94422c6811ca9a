model NameTwice
  Real x = 1;
  Real x = 2;
end NameTwice;
// command: run
// code: E0206
// place: 3:3
// hint: rename one of the two
// edit: Real x = 2 ==> Real z = 2
