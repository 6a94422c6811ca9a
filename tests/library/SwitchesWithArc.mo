// Opening of R = 1, L = 1 with 10 A by a switch with arc of constant 20 V: i' = (10 - 20 - i), i = 20 exp(-t) - 10, zero after
// ln 2. The same with the switches that close first.
model SwitchesWithArc
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Sources.StepVoltage level(V=1, startTime=1);
  Basic.Ground ground;
  Ideal.OpenerWithArc opener(V0=20, dVdt=0, Vmax=20, Goff=1e-9, off(start=false, fixed=true));
  Ideal.CloserWithArc closer(V0=20, dVdt=0, Vmax=20, Goff=1e-9, off(start=false, fixed=true));
  Ideal.ControlledOpenerWithArc controlledOpener(V0=20, dVdt=0, Vmax=20, Goff=1e-9, off(start=false, fixed=true));
  Ideal.ControlledCloserWithArc controlledCloser(V0=20, dVdt=0, Vmax=20, Goff=1e-9, off(start=true, fixed=true));
  Basic.Resistor r[4](each R=1);
  Basic.Inductor l[4](each L=1, i(start={10, 10, 10, 0}, each fixed=true));
equation
  opener.control = time > 1; closer.control = time < 1;
  connect(level.n, ground.p); connect(level.p, controlledOpener.control); connect(level.p, controlledCloser.control);
  connect(v.n, ground.p);
  for k in 1:4 loop
    connect(v.p, r[k].p); connect(r[k].n, l[k].p);
  end for;
  connect(l[1].n, opener.p); connect(opener.n, ground.p); connect(l[2].n, closer.p); connect(closer.n, ground.p);
  connect(l[3].n, controlledOpener.p); connect(controlledOpener.n, ground.p);
  connect(l[4].n, controlledCloser.p); connect(controlledCloser.n, ground.p);
  when time >= 1.5 then
    assert(abs(l[1].i - (20*exp(-0.5) - 10)) < 1e-3, "OpenerWithArc");
    assert(abs(l[2].i - (20*exp(-0.5) - 10)) < 1e-3, "CloserWithArc");
    assert(abs(l[3].i - (20*exp(-0.5) - 10)) < 1e-3, "ControlledOpenerWithArc");
  end when;
  when terminal() then
    assert(abs(l[1].i) < 1e-3 and abs(l[2].i) < 1e-3 and abs(l[3].i) < 1e-3, "the arcs are out");
    assert(abs(l[4].i - 10*(1 - exp(-1))) < 1e-3, "ControlledCloserWithArc");
  end when;
  annotation(experiment(StopTime=2));
end SwitchesWithArc;
