model Cuk "Ćuk converter: inverts and regulates by the duty of one switch"
  import Modelica.Electrical.Analog.{Basic, Ideal, Sources};
  parameter Real T = 1e-5 "Period of the switch";
  Sources.ConstantVoltage source(V = 12);
  Basic.Inductor L1(L = 180e-6, i(start = 0, fixed = true)), L2(L = 150e-6, i(start = 0, fixed = true));
  Basic.Capacitor C1(C = 47e-6, v(start = 12, fixed = true)), C2(C = 220e-6, v(start = 0, fixed = true));
  Basic.Resistor load(R = 10);
  Ideal.IdealClosingSwitch switch(Ron = 1e-2, Goff = 1e-5);
  Ideal.IdealDiode diode(Ron = 1e-2, Goff = 1e-5, Vknee = 0.5);
  Basic.Ground ground;
  output Real v = C2.v;
equation
  switch.control = mod(time, T) < 0.4*T;
  connect(source.p, L1.p);
  connect(L1.n, switch.p);
  connect(switch.n, ground.p);
  connect(L1.n, C1.p);
  connect(C1.n, diode.p);
  connect(diode.n, ground.p);
  connect(C1.n, L2.p);
  connect(L2.n, C2.p);
  connect(C2.n, ground.p);
  connect(load.p, C2.p);
  connect(load.n, ground.p);
  connect(source.n, ground.p);
end Cuk;
