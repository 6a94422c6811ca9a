model OpenPin
  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=1);
  Modelica.Electrical.Analog.Basic.Resistor r1(R=1);
  Modelica.Electrical.Analog.Basic.Resistor r2(R=1);
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(source.p, r1.p);
  connect(r1.n, r2.p);
  connect(r1.n, source.n);
  connect(source.n, ground.p);
end OpenPin;
// command: run
// code: W0412
// place: 4:45
// hint: connect it, or remove the component
// edit:   connect(r1.n, source.n);\n ==>   connect(r2.n, source.n);\n
