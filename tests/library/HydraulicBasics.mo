// Closed forms: K = Cq A sqrt(2/rho); two equal orifices in series halve the pressure; a volume filled through a
// laminar orifice: exponential with tau = V/(beta G); pump and motor: q = D w, tau = D dp.
model HydraulicBasics "Orifices, volume, sources, machines, valves and sensors"
  import Ferrica.Hydraulics.*;
  Sources.PressureSource supply(p=1e7);
  Sources.Tank tank;
  Restrictions.TurbulentOrifice orifice1(A=1e-5);
  Restrictions.TurbulentOrifice orifice2(A=1e-5);
  Sensors.FlowSensor meter;
  Volumes.Volume middle(V=1e-4, p(start=0, fixed=true));
  Restrictions.LaminarOrifice filling(G=1e-11);
  Volumes.Volume vessel(V=1e-3, beta=1e9, p(start=0, fixed=true));
  Sensors.PressureSensor gauge;
  Modelica.Mechanics.Rotational.Sources.ConstantSpeed motor(w_fixed=100, phi(start=0, fixed=true));
  Machines.FixedPump pump(D=1e-6);
  Restrictions.LaminarOrifice load(G=1e-11);
  Volumes.Volume beforeCheck(V=1e-5, p(start=0, fixed=true));
  Restrictions.CheckValve check(p_crack=1e4, q_nom=1e-3, dp_nom=1e5);
  Restrictions.CheckValve closed(p_crack=1e4, q_nom=1e-3, dp_nom=1e5, leakage=1e-9);
  Valves.ReliefValve relief(p_set=5e6, q_nom=1e-3, dp_nom=1e6, dp_open=1e6);
  Sources.FlowSource flowIn(q=1e-4);
  Volumes.Volume reliefLine(V=1e-5, p(start=0, fixed=true));
  Valves.ReducingValve reducer(p_set=3e6, dp_open=1e6, q_nom=1e-3, dp_nom=1e6);
  Volumes.Volume reduced(V=1e-5, p(start=0, fixed=true));
  Restrictions.LaminarOrifice consumer(G=1e-11);
equation
  connect(supply.port, orifice1.port_a);
  connect(orifice1.port_b, meter.port_a);
  connect(meter.port_b, orifice2.port_a);
  connect(meter.port_b, middle.port);
  connect(orifice2.port_b, tank.port);
  connect(supply.port, filling.port_a);
  connect(filling.port_b, vessel.port);
  connect(vessel.port, gauge.port);
  connect(motor.flange, pump.flange);
  connect(tank.port, pump.port_a);
  connect(pump.port_b, load.port_a);
  connect(load.port_b, check.port_a);
  connect(beforeCheck.port, check.port_a);
  connect(check.port_b, tank.port);
  connect(supply.port, closed.port_b);
  connect(closed.port_a, tank.port);
  connect(flowIn.port, reliefLine.port);
  connect(reliefLine.port, relief.port_a);
  connect(relief.port_b, tank.port);
  connect(supply.port, reducer.port_a);
  connect(reducer.port_b, reduced.port);
  connect(reduced.port, consumer.port_a);
  connect(consumer.port_b, tank.port);
  when terminal() then
    assert(abs(middle.p - 5e6) < 10, "Equal orifices halve the pressure");
    assert(abs(meter.q - 0.67*1e-5*sqrt(2/870*5e6)) < 1e-9, "Orifice law");
    assert(abs(gauge.p - 1e7*(1 - exp(-1e9*1e-11/1e-3*time))) < 100, "Filling through a laminar orifice");
    assert(abs(pump.q - 1e-4) < 1e-12, "Pump flow");
    assert(abs(pump.flange.tau - 1e-6*(load.dp + check.dp)) < 1e-9 and abs(load.dp - 1e7) < 1, "Pump torque");
    assert(check.dp > 1e4 and check.dp < 2.1e4, "Open check valve");
    assert(abs(closed.q) < 1e-10, "Closed check valve");
    // Relief valve: opening x = (p - p_set)/dp_open; q = x q_nom sqrt(p/dp_nom).
    assert(abs((reliefLine.p - 5e6)/1e6*1e-3*sqrt(reliefLine.p/1e6) - 1e-4) < 1e-8, "Relief valve in steady state");
    // Reducing valve: consumer takes G p, valve gives x q_nom sqrt((1e7 - p)/dp_nom), x = (3e6 - p)/1e6.
    assert(abs((3e6 - reduced.p)/1e6*1e-3*sqrt((1e7 - reduced.p)/1e6) - 1e-11*reduced.p) < 1e-9,
      "Reducing valve in steady state");
  end when;
  annotation(experiment(StopTime=0.5, Tolerance=1e-8));
end HydraulicBasics;
