model PartialModel
  Modelica.Electrical.Analog.Interfaces.OnePort port;
end PartialModel;
// command: run
// code: E0306
// place: 2:3
// hint: use a complete class, or redeclare the component
