model Bridge "Three-phase bridge of bare Shockley diodes behind line inductances"
  import Modelica.Electrical.Analog.{Basic, Interfaces, Sources};
  model Diode
    extends Interfaces.OnePort;
    parameter Real Is = 1e-9;
    parameter Real Vt = 0.04;
  equation
    i = Is*(exp(v/Vt) - 1);
  end Diode;
  Sources.SineVoltage source[3](each V = 100, each f = 50, phase = {0, -2.0943951023931953, 2.0943951023931953});
  Basic.Inductor line[3](each L = 1e-3, i(each start = 0, fixed = {true, true, false}));
  Diode up[3], down[3];
  Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Basic.Resistor R(R = 20);
  Basic.Ground ground;
  output Real v = C.v;
equation
  for k in 1:3 loop
    connect(source[k].n, ground.p);
    connect(source[k].p, line[k].p);
    connect(line[k].n, up[k].p);
    connect(up[k].n, C.p);
    connect(down[k].n, line[k].n);
    connect(down[k].p, C.n);
  end for;
  connect(R.p, C.p);
  connect(R.n, C.n);
end Bridge;
