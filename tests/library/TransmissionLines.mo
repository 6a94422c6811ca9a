// Closed forms (method of characteristics). Matched cable: the load sees half the step 2 us later.
// Open cable: reflection doubles the wave. Water hammer: pressure rise Z*q at the closed valve, then it alternates
// with the period 4 T. Elastic rod struck with v: force Z*v.
model TransmissionLines "Lines of all domains"
  import Modelica.Electrical.Analog.*;
  Sources.StepVoltage source(V=10, startTime=1e-3);
  Basic.Resistor sourceImpedance(R=50);
  Ferrica.TLM.ElectricalLine cable(T=2e-3, Zc=50);
  Basic.Resistor load(R=50);
  Basic.Ground ground;
  Sources.StepVoltage source2(V=10, startTime=1e-3);
  Basic.Resistor sourceImpedance2(R=50);
  Ferrica.TLM.ElectricalLine openCable(T=2e-3, Zc=50);
  Ferrica.Hydraulics.Sources.PressureSource supply(p=1e5);
  Ferrica.TLM.HydraulicLine pipe(T=2e-3, Zc=1e9, p_start=1e5, q_start=1e-4);
  Ferrica.Hydraulics.Sources.PrescribedFlow valve "Closes at 1 ms";
  Modelica.Mechanics.Translational.Sources.ConstantSpeed hammer(v_fixed=0.5, s(start=0, fixed=true));
  Ferrica.TLM.TranslationalLine rod(T=2e-3, Zc=1e4);
  Modelica.Mechanics.Translational.Components.Fixed anvil;
  Modelica.Mechanics.Rotational.Sources.ConstantSpeed turn(w_fixed=0.5, phi(start=0, fixed=true));
  Ferrica.TLM.RotationalLine shaft(T=2e-3, Zc=100);
  Modelica.Mechanics.Rotational.Components.Fixed clamp;
  Real v_before(start=9, fixed=true) "Matched load just before the wave arrives";
  Real v_after(start=9, fixed=true) "Matched load after the wave";
  Real v_open(start=9, fixed=true) "Open end after the wave";
  Real v_source(start=9, fixed=true) "Source end of the open cable before the reflection comes back";
  Real p_high(start=9, fixed=true) "Valve after closing";
  Real p_low(start=9, fixed=true) "Valve after the first reflection";
  Real f_first(start=9, fixed=true) "Force at the struck end";
  Real f_second(start=9, fixed=true) "Force at the far end after arrival";
  Real tau_first(start=9, fixed=true) "Torque at the turned end";
equation
  connect(source.n, ground.p);
  connect(source.p, sourceImpedance.p);
  connect(sourceImpedance.n, cable.p1);
  connect(cable.n1, ground.p);
  connect(cable.p2, load.p);
  connect(cable.n2, ground.p);
  connect(load.n, ground.p);
  connect(source2.n, ground.p);
  connect(source2.p, sourceImpedance2.p);
  connect(sourceImpedance2.n, openCable.p1);
  connect(openCable.n1, ground.p);
  connect(openCable.n2, ground.p);
  connect(supply.port, pipe.port_a);
  connect(pipe.port_b, valve.port);
  valve.q = if time < 1e-3 then -1e-4 else 0;
  connect(hammer.flange, rod.flange_a);
  connect(rod.flange_b, anvil.flange);
  connect(turn.flange, shaft.flange_a);
  connect(shaft.flange_b, clamp.flange);
  when time >= 2.9e-3 then
    v_before = load.v;
    v_source = openCable.v1;
  end when;
  when time >= 3.1e-3 then
    v_after = load.v;
    v_open = openCable.v2;
  end when;
  when time >= 1.5e-3 then
    p_high = pipe.port_b.p;
    f_first = rod.flange_a.f;
    tau_first = shaft.flange_a.tau;
  end when;
  when time >= 5.5e-3 then
    p_low = pipe.port_b.p;
  end when;
  when time >= 3.0e-3 then
    f_second = -rod.flange_b.f;
  end when;
  when terminal() then
    assert(abs(v_before) < 1e-9 and abs(v_after - 5) < 1e-9, "Matched cable");
    assert(abs(v_source - 5) < 1e-9 and abs(v_open - 10) < 1e-9, "Open cable");
    assert(abs(p_high - (1e5 + 1e9*1e-4)) < 1e-3, "Pressure rise at the closed valve");
    assert(abs(p_low - (1e5 - 1e9*1e-4)) < 1e-3, "Pressure after the first reflection");
    assert(abs(f_first - 5000) < 1e-6 and abs(f_second - 10000) < 1e-6, "Struck rod against an anvil");
    assert(abs(tau_first - 50) < 1e-8, "Turned shaft");
  end when;
  annotation(experiment(StopTime=8e-3, Interval=1e-4));
end TransmissionLines;
