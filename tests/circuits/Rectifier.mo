model Rectifier "Transformer, one bare diode and a smoothing capacitor"
  import Modelica.Electrical.Analog.{Basic, Interfaces, Sources};
  model Diode
    extends Interfaces.OnePort;
  equation
    i = 1e-9*(exp(v/0.04) - 1);
  end Diode;
  Sources.SineVoltage source(V = 50, f = 50);
  Basic.Resistor Ri(R = 0.5), load(R = 100);
  Basic.Transformer coils(L1 = 0.1, L2 = 0.025, M = 0.0495, i1(start = 0, fixed = true), i2(start = 0, fixed = true));
  Diode diode;
  Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Basic.Ground ground;
  output Real v = C.v;
equation
  connect(source.p, Ri.p);
  connect(Ri.n, coils.p1);
  connect(coils.n1, ground.p);
  connect(source.n, ground.p);
  connect(coils.p2, diode.p);
  connect(diode.n, C.p);
  connect(load.p, C.p);
  connect(load.n, ground.p);
  connect(C.n, ground.p);
  connect(coils.n2, ground.p);
end Rectifier;
