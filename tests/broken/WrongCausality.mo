model WrongCausality
  Modelica.Blocks.Sources.Constant a(k=1);
  Modelica.Blocks.Sources.Constant b(k=2);
equation
  connect(a.y, b.y);
end WrongCausality;
// command: run
// code: E0358
// place: 5:3
// hint: connect an output with an input; inputs of the model itself count as sources inside it
