model FloatingNetwork
  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=1);
  Modelica.Electrical.Analog.Basic.Resistor r(R=1), load(R=2);
  Modelica.Electrical.Analog.Basic.Capacitor c(C=1, v(start=0, fixed=true));
equation
  connect(source.p, r.p);
  connect(r.n, load.p);
  connect(load.n, source.n);
  connect(c.p, load.p);
  connect(c.n, source.n);
end FloatingNetwork;
// command: run
// code: W0411
// place: 2:54
// hint: connect a ground to this part of the network
// edit: v(start=0, fixed=true));\nequation\n ==> v(start=0, fixed=true));\n  Modelica.Electrical.Analog.Basic.Ground ground;\nequation\n  connect(source.n, ground.p);\n
