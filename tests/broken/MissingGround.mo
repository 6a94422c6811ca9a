model MissingGround
  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=1);
  Modelica.Electrical.Analog.Basic.Resistor r(R=1);
equation
  connect(source.p, r.p);
  connect(source.n, r.n);
end MissingGround;
// command: run
// code: E0401
// place: 2:54
// hint: add an equation, or connect what is left open
// edit:   Modelica.Electrical.Analog.Basic.Resistor r(R=1);\nequation\n ==>   Modelica.Electrical.Analog.Basic.Resistor r(R=1);\n  Modelica.Electrical.Analog.Basic.Ground ground;\nequation\n  connect(source.n, ground.p);\n
