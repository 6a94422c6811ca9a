model Buck "Step-down converter with a current band"
  import Modelica.Electrical.Analog.{Basic, Ideal, Sources};
  Sources.ConstantVoltage source(V = 24);
  Ideal.IdealClosingSwitch switch(Ron = 1e-2, Goff = 1e-5);
  Ideal.IdealDiode diode(Ron = 1e-2, Goff = 1e-5, Vknee = 0);
  Basic.Inductor L(L = 1e-3, i(start = 0, fixed = true));
  Basic.Capacitor C(C = 1e-4, v(start = 0, fixed = true));
  Basic.Resistor load(R = 4);
  Basic.Ground ground;
  Boolean on(start = true, fixed = true);
  output Real v = C.v;
equation
  on = L.i < 2.8 or pre(on) and L.i < 3.2;
  switch.control = on;
  connect(source.p, switch.p);
  connect(switch.n, L.p);
  connect(diode.n, L.p);
  connect(diode.p, ground.p);
  connect(L.n, C.p);
  connect(load.p, C.p);
  connect(load.n, ground.p);
  connect(C.n, ground.p);
  connect(source.n, ground.p);
end Buck;
