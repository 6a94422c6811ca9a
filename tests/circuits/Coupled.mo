model Coupled "Two coupled coils between a step and a load"
  import Modelica.Electrical.Analog.{Basic, Sources};
  Sources.StepVoltage source(V = 10, startTime = 1e-3);
  Basic.Resistor Ri(R = 1), load(R = 5);
  Basic.Transformer coils(L1 = 1e-3, L2 = 4e-3, M = 1.8e-3, i1(start = 0, fixed = true), i2(start = 0, fixed = true));
  Basic.Capacitor C(C = 1e-5, v(start = 0, fixed = true));
  Basic.Ground ground;
  output Real v = C.v;
equation
  connect(source.p, Ri.p);
  connect(Ri.n, coils.p1);
  connect(coils.n1, ground.p);
  connect(source.n, ground.p);
  connect(coils.p2, C.p);
  connect(load.p, C.p);
  connect(load.n, ground.p);
  connect(C.n, ground.p);
  connect(coils.n2, ground.p);
end Coupled;
