model IdealBridge "Four ideal diodes behind an inductance: its current passes zero and should stay there"
  import Modelica.Electrical.Analog.{Basic, Ideal, Sources};
  Sources.SineVoltage source(V = 24, f = 50);
  Basic.Resistor Rs(R = 0.2), R(R = 20);
  Basic.Inductor L(L = 2e-3, i(start = 0, fixed = true));
  Ideal.IdealDiode a, b, c, d;
  Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Basic.Ground ground;
  output Real i = L.i;
  output Real v = C.v;
equation
  connect(source.p, Rs.p);
  connect(Rs.n, L.p);
  connect(L.n, a.p);
  connect(a.n, C.p);
  connect(b.n, C.p);
  connect(b.p, source.n);
  connect(c.n, L.n);
  connect(d.n, source.n);
  connect(c.p, C.n);
  connect(d.p, C.n);
  connect(R.p, C.p);
  connect(R.n, C.n);
  connect(C.n, ground.p);
end IdealBridge;
