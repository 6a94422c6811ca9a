model ShortedSources
  Modelica.Electrical.Analog.Sources.ConstantVoltage a(V=1);
  Modelica.Electrical.Analog.Sources.ConstantVoltage b(V=2);
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(a.p, b.p);
  connect(a.n, ground.p);
  connect(b.n, ground.p);
end ShortedSources;
// command: run
// code: E0401
// place: 6:3
// hint: two parts of the model prescribe the same quantity; remove one of them
