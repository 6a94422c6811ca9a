model Amplifier "Common-emitter stage with a coupling capacitor"
  import Modelica.Electrical.Analog.{Basic, Semiconductors, Sources};
  Sources.ConstantVoltage supply(V = 12);
  Sources.SineVoltage source(V = 0.01, f = 1000);
  Basic.Resistor R1(R = 56e3), R2(R = 10e3), RC(R = 3.3e3), RE(R = 1e3), load(R = 10e3);
  Basic.Capacitor C1(C = 1e-6, v(start = 0, fixed = true)), C2(C = 1e-6, v(start = 0, fixed = true));
  Semiconductors.NPN T;
  Basic.Ground ground;
  output Real v = load.v;
equation
  connect(supply.n, ground.p);
  connect(source.n, ground.p);
  connect(source.p, C1.p);
  connect(C1.n, T.B);
  connect(R1.p, supply.p);
  connect(R1.n, T.B);
  connect(R2.p, T.B);
  connect(R2.n, ground.p);
  connect(RC.p, supply.p);
  connect(RC.n, T.C);
  connect(RE.p, T.E);
  connect(RE.n, ground.p);
  connect(C2.p, T.C);
  connect(C2.n, load.p);
  connect(load.n, ground.p);
end Amplifier;
