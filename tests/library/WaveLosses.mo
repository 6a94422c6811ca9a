// Lines with losses and a column that breaks, against closed forms.
// Cavity: a valve closes at t0 = 1 ms at the end of a line without friction with T = 2 ms, Zc q0 = 1 MPa, behind a supply of 0.4 MPa above the vapour. By the method of
// characteristics the pressure is 1.4 MPa for 2 T; then the cavity grows with q0 - d, q0 - 3 d, q0 - 5 d for 2 T each, d = 0.4 q0: 1.2 T q0 at t0 + 4 T, closed at
// t0 + 6.8 T, and then the pressure is Zc q0.
// Cable: a wave of half of the source's voltage arrives at the matched end after T, smaller by exp(-0.3).
model WaveLosses
  Ferrica.Hydraulics.Sources.PressureSource supply(p=4e5);
  Ferrica.TLM.HydraulicLine line(T=2e-3, Zc=1e10, p_start=4e5, q_start=1e-4);
  Ferrica.TLM.Cavity cavity;
  Ferrica.Hydraulics.Sources.PrescribedFlow valve;
  Modelica.Electrical.Analog.Sources.StepVoltage source(V=10, startTime=1e-3);
  Modelica.Electrical.Analog.Basic.Resistor Ri(R=50), load(R=50);
  Ferrica.TLM.DistortionlessCable cable(T=2e-3, Zc=50, loss=0.3);
  Modelica.Electrical.Analog.Basic.Ground ground;
  Real p_high(start=0, fixed=true);
  Real V_most(start=0, fixed=true);
  Real p_again(start=0, fixed=true);
  discrete Real closed(start=0, fixed=true) "When the cavity is gone";
  discrete Real v_before(start=9, fixed=true), v_after(start=9, fixed=true);
equation
  connect(supply.port, line.port_a);
  connect(line.port_b, cavity.port_a);
  connect(cavity.port_b, valve.port);
  valve.q = if time < 1e-3 then -1e-4 else 0;
  connect(source.p, Ri.p);
  connect(Ri.n, cable.p1);
  connect(cable.p2, load.p);
  connect(load.n, ground.p);
  connect(cable.n1, ground.p);
  connect(cable.n2, ground.p);
  connect(source.n, ground.p);
  when time >= 4e-3 then
    reinit(p_high, cavity.p);
  end when;
  der(p_high) = 0;
  when time >= 9e-3 then
    reinit(V_most, cavity.V);
  end when;
  der(V_most) = 0;
  when time >= 16e-3 then
    reinit(p_again, cavity.p);
  end when;
  der(p_again) = 0;
  when not cavity.broken and time > 1e-2 then
    closed = if pre(closed) > 0 then pre(closed) else time;
  end when;
  when time >= 2.9e-3 then
    v_before = load.v;
  end when;
  when time >= 3.1e-3 then
    v_after = load.v;
  end when;
  when terminal() then
    assert(abs(p_high - 1.4e6) < 1, "the pressure of a closed valve");
    assert(abs(V_most - 2.4e-7) < 1e-11, "the largest cavity");
    assert(abs(closed - 14.6e-3) < 1e-6, "the cavity closes");
    assert(abs(p_again - 1e6) < 1e2, "the pressure of a cavity that has closed");
    assert(abs(v_before) < 1e-9 and abs(v_after - 5*exp(-0.3)) < 1e-9, "the distortionless cable");
  end when;
  annotation(experiment(StopTime=0.02, Interval=1e-3));
end WaveLosses;
