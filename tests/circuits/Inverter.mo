model Inverter "Complementary inverter with a capacitive load"
  import Modelica.Electrical.Analog.{Basic, Semiconductors, Sources};
  Sources.ConstantVoltage supply(V = 5);
  Sources.TrapezoidVoltage source(V = 5, rising = 1e-7, width = 4e-7, falling = 1e-7, period = 1e-6);
  Semiconductors.NMOS n;
  Semiconductors.PMOS p;
  Basic.Capacitor C(C = 1e-13, v(start = 5, fixed = true));
  Basic.Ground ground;
  output Real v = C.v;
equation
  connect(supply.n, ground.p);
  connect(source.n, ground.p);
  connect(source.p, n.G);
  connect(source.p, p.G);
  connect(n.S, ground.p);
  connect(n.B, ground.p);
  connect(p.S, supply.p);
  connect(p.B, supply.p);
  connect(n.D, C.p);
  connect(p.D, C.p);
  connect(C.n, ground.p);
end Inverter;
