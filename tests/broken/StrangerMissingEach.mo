model StrangerMissingEach
  Modelica.Mechanics.Translational.Components.Mass m[3](m = 2);
equation
  connect(m[1].flange_b, m[2].flange_a);
  connect(m[2].flange_b, m[3].flange_a);
end StrangerMissingEach;
// command: run
// code: E0322
// place: 2:61
// hint: write `each` in front of the modifier
// edit: (m = 2) ==> (each m = 2)
