model NameUnknownClass
  Modelica.Electrical.Analog.Basic.Groud ground;
end NameUnknownClass;
// command: run
// code: E0202
// place: 2:3
// hint: did you mean `Ground`?
// edit: Groud ==> Ground
