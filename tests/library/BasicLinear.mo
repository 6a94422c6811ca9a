// Divider, RC and RL step responses: v = V/2, v = V (1 - exp(-t/(R C))), i = V/R (1 - exp(-t R/L)).
model BasicLinear
  import Modelica.Electrical.Analog.Basic.*;
  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=10);
  Ground ground;
  Resistor r1(R=100);
  Conductor g1(G=0.01);
  Resistor rc(R=1000);
  Capacitor c(C=1e-3, v(start=0, fixed=true));
  Resistor rl(R=10);
  Inductor l(L=5, i(start=0, fixed=true));
  Resistor warm(R=100, alpha=0.01, T_ref=300, T=320);
  Conductor warmG(G=0.01, alpha=0.01, T_ref=300, T=320);
equation
  connect(source.n, ground.p);
  connect(source.p, r1.p); connect(r1.n, g1.p); connect(g1.n, ground.p);
  connect(source.p, rc.p); connect(rc.n, c.p); connect(c.n, ground.p);
  connect(source.p, rl.p); connect(rl.n, l.p); connect(l.n, ground.p);
  connect(source.p, warm.p); connect(warm.n, ground.p); connect(source.p, warmG.p); connect(warmG.n, ground.p);
  when terminal() then
    assert(abs(g1.v - 5) < 1e-9 and abs(r1.LossPower - 0.25) < 1e-9, "divider");
    assert(abs(c.v - 10*(1 - exp(-1))) < 1e-4, "Capacitor");
    assert(abs(l.i - (1 - exp(-2))) < 1e-4, "Inductor");
    assert(abs(warm.i - 10/120) < 1e-9 and abs(warmG.i - 0.1/1.2) < 1e-9, "temperature dependence");
  end when;
end BasicLinear;
