model FullBridge "Four bare diodes behind an inductance, into a capacitor with load"
  import Modelica.Electrical.Analog.{Basic, Interfaces, Sources};
  model Diode
    extends Interfaces.OnePort;
  equation
    i = 1e-12*(exp(v/0.026) - 1);
  end Diode;
  Sources.SineVoltage source(V = 100, f = 50);
  Basic.Inductor L(L = 2e-3, i(start = 0, fixed = true));
  Diode a, b, c, d;
  Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Basic.Resistor R(R = 30);
  Basic.Ground ground;
  output Real v = C.v;
equation
  connect(source.p, L.p);
  connect(L.n, a.p);
  connect(a.n, C.p);
  connect(b.n, C.p);
  connect(b.p, source.n);
  connect(c.n, L.n);
  connect(c.p, C.n);
  connect(d.n, source.n);
  connect(d.p, C.n);
  connect(R.p, C.p);
  connect(R.n, C.n);
  connect(ground.p, C.n);
end FullBridge;
