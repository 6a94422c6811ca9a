model NameUnknownVariable
  Real speed = 1;
  Real x = sped + 1;
end NameUnknownVariable;
// command: run
// code: E0201
// place: 3:12
// hint: did you mean `speed`?
// edit: sped + 1 ==> speed + 1
