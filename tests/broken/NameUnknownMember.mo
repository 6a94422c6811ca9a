model NameUnknownMember
  Modelica.Electrical.Analog.Basic.Resistor r(R=1);
  Real x = r.voltage;
end NameUnknownMember;
// command: run
// code: E0202
// place: 3:14
// hint: the built-in library does not have it; --lib DIR takes the Modelica Standard Library instead
