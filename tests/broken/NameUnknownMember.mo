model NameUnknownMember
  Modelica.Electrical.Analog.Basic.Resistor r(R=1);
  Real x = r.voltage;
end NameUnknownMember;
// command: run
// code: E0202
// place: 3:14
// hint: it has `R`, `T_ref`, `alpha`, `v`, `p`, `n`, `i`, `useHeatPort`, `T`, `heatPort`, …
