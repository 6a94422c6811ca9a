model Flyback "Ideal switch, transformer and diode; the inductance runs empty in some periods"
  import Modelica.Electrical.Analog.{Basic, Ideal, Sources};
  Sources.ConstantVoltage source(V = 24);
  Ideal.IdealClosingSwitch S;
  Basic.Inductor L(L = 1e-3, i(start = 0, fixed = true));
  Ideal.IdealTransformer T(n = 2);
  Ideal.IdealDiode D;
  Basic.Capacitor C(C = 1e-4, v(start = 0, fixed = true));
  Basic.Resistor R(R = 10);
  Basic.Ground ground, other;
  Modelica.Blocks.Sources.BooleanPulse pulse(width = 40, period = 1e-4);
  output Real i = L.i;
  output Real v = C.v;
equation
  connect(pulse.y, S.control);
  connect(source.p, S.p);
  connect(S.n, L.p);
  connect(L.n, source.n);
  connect(L.p, T.p1);
  connect(L.n, T.n1);
  connect(T.n2, D.p);
  connect(D.n, C.p);
  connect(C.n, T.p2);
  connect(R.p, C.p);
  connect(R.n, C.n);
  connect(source.n, ground.p);
  connect(C.n, other.p);
end Flyback;
