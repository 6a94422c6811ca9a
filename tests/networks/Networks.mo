package Networks "Ten networks with transmission lines, for runs in parts"
  import Ferrica.TLM;
  import Modelica.Electrical.Analog.{Basic, Sources};
  import Modelica.Mechanics.{Rotational, Translational};
  import Ferrica.Hydraulics;

  model Cable "Sine through a cable into a capacitor"
    Sources.SineVoltage source(V = 10, f = 2e4);
    Basic.Resistor Ri(R = 30), Rl(R = 200);
    Basic.Capacitor C(C = 2e-8, v(start = 0, fixed = true));
    TLM.ElectricalLine line(T = 2e-6, Zc = 50);
    Basic.Ground ground;
    output Real y = C.v;
  equation
    connect(source.p, Ri.p);
    connect(Ri.n, line.p1);
    connect(line.n1, ground.p);
    connect(source.n, ground.p);
    connect(line.p2, C.p);
    connect(Rl.p, C.p);
    connect(Rl.n, ground.p);
    connect(C.n, ground.p);
    connect(line.n2, ground.p);
    annotation(experiment(StopTime = 1e-4, Interval = 2e-6));
  end Cable;

  model Ladder "Five cables in a row with a capacitor at each joint"
    parameter Integer n = 5;
    Sources.SineVoltage source(V = 10, f = 2e4);
    Basic.Resistor Ri(R = 40), R[n](each R = 300);
    Basic.Capacitor C[n](each C = 5e-9, v(each start = 0, each fixed = true));
    TLM.ElectricalLine line[n](each T = 1e-6, each Zc = 60);
    Basic.Ground ground;
    output Real y = C[n].v;
  equation
    connect(source.p, Ri.p);
    connect(source.n, ground.p);
    connect(Ri.n, line[1].p1);
    for k in 1:n loop
      connect(line[k].n1, ground.p);
      connect(line[k].n2, ground.p);
      connect(line[k].p2, C[k].p);
      connect(C[k].n, ground.p);
      connect(R[k].p, C[k].p);
      connect(R[k].n, ground.p);
    end for;
    for k in 2:n loop
      connect(C[k - 1].p, line[k].p1);
    end for;
    annotation(experiment(StopTime = 1e-4, Interval = 2e-6));
  end Ladder;

  model Star "One source, three cables, three loads"
    Sources.SineVoltage source(V = 10, f = 1e4);
    Basic.Resistor Ri(R = 20), R[3](R = {50, 100, 200});
    Basic.Inductor L[3](each L = 1e-4, i(each start = 0, each fixed = true));
    TLM.ElectricalLine line[3](each T = 2e-6, each Zc = 75);
    Basic.Ground ground;
    output Real y = L[1].i + L[2].i + L[3].i;
  equation
    connect(source.p, Ri.p);
    connect(source.n, ground.p);
    for k in 1:3 loop
      connect(Ri.n, line[k].p1);
      connect(line[k].n1, ground.p);
      connect(line[k].n2, ground.p);
      connect(line[k].p2, R[k].p);
      connect(R[k].n, L[k].p);
      connect(L[k].n, ground.p);
    end for;
    annotation(experiment(StopTime = 2e-4, Interval = 4e-6));
  end Star;

  model Pulses "A pulse train through a lossy cable"
    Sources.PulseVoltage source(V = 5, width = 40, period = 4e-5);
    Basic.Resistor Ri(R = 50), Rl(R = 150);
    Basic.Capacitor C(C = 2e-8, v(start = 0, fixed = true));
    TLM.ElectricalLine line(T = 2e-6, Zc = 50, R = 4);
    Basic.Ground ground;
    output Real y = C.v;
  equation
    connect(source.p, Ri.p);
    connect(Ri.n, line.p1);
    connect(line.n1, ground.p);
    connect(source.n, ground.p);
    connect(line.p2, C.p);
    connect(Rl.p, C.p);
    connect(Rl.n, ground.p);
    connect(C.n, ground.p);
    connect(line.n2, ground.p);
    annotation(experiment(StopTime = 1e-4, Interval = 2e-6));
  end Pulses;

  model Pipe "A pump that pulsates feeds an orifice through a pipe"
    Hydraulics.Sources.PrescribedFlow pump;
    Modelica.Blocks.Sources.Sine strokes(amplitude = 2e-5, f = 20, offset = 1e-4);
    TLM.HydraulicLine pipe(T = 1e-3, Zc = 2e8, R = 2e7);
    TLM.Volume volume(T = 1e-3, V = 1e-4);
    Hydraulics.Restrictions.LaminarOrifice orifice(G = 1e-9);
    Hydraulics.Sources.Tank tank;
    output Real y = orifice.port_a.p;
  equation
    connect(strokes.y, pump.q);
    connect(pump.port, pipe.port_a);
    connect(pipe.port_b, volume.port_a);
    connect(volume.port_b, orifice.port_a);
    connect(orifice.port_b, tank.port);
    annotation(experiment(StopTime = 0.1, Interval = 2e-3));
  end Pipe;

  model Tree "A supply, a main and two branches"
    Hydraulics.Sources.PressureSource supply(p = 1e6);
    TLM.HydraulicLine main(T = 1e-3, Zc = 1e8, R = 1e7), branch[2](each T = 2e-3, each Zc = 2e8, each R = 2e7);
    Hydraulics.Restrictions.LaminarOrifice inlet(G = 5e-9), outlet[2](G = {1e-9, 2e-9});
    Hydraulics.Sources.Tank tank;
    output Real y = outlet[1].port_a.p;
  equation
    connect(supply.port, inlet.port_a);
    connect(inlet.port_b, main.port_a);
    for k in 1:2 loop
      connect(main.port_b, branch[k].port_a);
      connect(branch[k].port_b, outlet[k].port_a);
      connect(outlet[k].port_b, tank.port);
    end for;
    annotation(experiment(StopTime = 0.1, Interval = 2e-3));
  end Tree;

  model Rod "Two masses and an elastic rod, driven by a sine"
    Translational.Components.Mass a(m = 2, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.Components.Mass b(m = 3, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.Sources.Force force;
    Modelica.Blocks.Sources.Sine sine(amplitude = 100, f = 10);
    TLM.TranslationalLine rod(T = 1e-3, Zc = 500);
    output Real y = b.v;
  equation
    connect(sine.y, force.f);
    connect(force.flange, a.flange_a);
    connect(a.flange_b, rod.flange_a);
    connect(rod.flange_b, b.flange_a);
    annotation(experiment(StopTime = 0.2, Interval = 4e-3));
  end Rod;

  model Train "Four wagons with elastic couplings, damped against the ground"
    parameter Integer n = 4;
    Translational.Components.Mass wagon[n](each m = 2, s(each start = 0, each fixed = true), v(each start = 0, each fixed = true));
    Translational.Components.Damper damper[n](each d = 5);
    Translational.Components.Fixed fixed;
    Translational.Sources.Force force;
    Modelica.Blocks.Sources.Sine sine(amplitude = 50, f = 5);
    TLM.TranslationalLine coupling[n - 1](each T = 1e-3, each Zc = 300);
    output Real y = wagon[n].v;
  equation
    connect(sine.y, force.f);
    connect(force.flange, wagon[1].flange_a);
    for k in 1:n - 1 loop
      connect(wagon[k].flange_b, coupling[k].flange_a);
      connect(coupling[k].flange_b, wagon[k + 1].flange_a);
    end for;
    for k in 1:n loop
      connect(damper[k].flange_a, wagon[k].flange_a);
      connect(damper[k].flange_b, fixed.flange);
    end for;
    annotation(experiment(StopTime = 0.4, Interval = 8e-3));
  end Train;

  model Turbine "Two rotors on an elastic shaft"
    Rotational.Components.Inertia a(J = 0.1, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.Components.Inertia b(J = 0.2, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.Components.Damper damper(d = 0.5);
    Rotational.Components.Fixed fixed;
    Rotational.Sources.Torque torque;
    Modelica.Blocks.Sources.Sine sine(amplitude = 20, f = 8, offset = 5);
    TLM.RotationalLine shaft(T = 1e-3, Zc = 20);
    output Real y = b.w;
  equation
    connect(sine.y, torque.tau);
    connect(torque.flange, a.flange_a);
    connect(a.flange_b, shaft.flange_a);
    connect(shaft.flange_b, b.flange_a);
    connect(b.flange_b, damper.flange_a);
    connect(damper.flange_b, fixed.flange);
    annotation(experiment(StopTime = 0.3, Interval = 6e-3));
  end Turbine;

  model Drive "Cable, motor, shaft and load: two domains and two lines"
    Sources.SineVoltage source(V = 24, f = 10);
    Basic.Resistor Ri(R = 1), R(R = 2);
    Basic.Inductor L(L = 5e-3, i(start = 0, fixed = true));
    Basic.RotationalEMF emf(k = 0.5);
    Rotational.Components.Inertia rotor(J = 0.01, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.Components.Inertia load(J = 0.02, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    TLM.ElectricalLine cable(T = 1e-3, Zc = 20);
    TLM.RotationalLine shaft(T = 1e-3, Zc = 5);
    Basic.Ground ground;
    output Real y = load.w;
  equation
    connect(source.p, Ri.p);
    connect(source.n, ground.p);
    connect(Ri.n, cable.p1);
    connect(cable.n1, ground.p);
    connect(cable.p2, R.p);
    connect(cable.n2, ground.p);
    connect(R.n, L.p);
    connect(L.n, emf.p);
    connect(emf.n, ground.p);
    connect(emf.flange, rotor.flange_a);
    connect(rotor.flange_b, shaft.flange_a);
    connect(shaft.flange_b, load.flange_a);
    annotation(experiment(StopTime = 0.3, Interval = 6e-3));
  end Drive;
end Networks;
