// Closed forms: accumulator p V^n = const; ideal piston; extending cylinder in steady state: v = q/A;
// motor under constant pressure and viscous load: w = D dp/d.
model HydraulicActuators "Accumulator, cylinders, motor and directional valve"
  import Ferrica.Hydraulics.*;
  Sources.Tank tank;
  Sources.FlowSource accFlow(q=1e-4);
  Volumes.Accumulator accumulator(V0=1e-3, p0=5e6, n=1.4);
  Sources.FlowSource cylFlow(q=1e-4);
  Cylinders.DoubleActingCylinder cylinder(A_A=1e-3, A_B=5e-4, stroke=1, x(start=0, fixed=true), d=1000,
    p_A(start=0, fixed=true), p_B(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Mass mass(m=10, v(start=0, fixed=true));
  Sources.PressureSource supply(p=1e7);
  Machines.FixedMotor motor(D=1e-6, d=0.1);
  Modelica.Mechanics.Rotational.Components.Inertia inertia(J=1e-3, phi(start=0, fixed=true), w(start=0, fixed=true));
  Valves.Directional43 valve(q_nom=1e-3, dp_nom=1e6, leakage=0);
  Restrictions.LaminarOrifice load(G=1e-10) "Between A and B";
  Modelica.Blocks.Sources.IntegerConstant forward(k=1);
  Sources.PressureSource pistonSupply(p=1e6);
  Cylinders.Piston piston(A=1e-3);
  Modelica.Mechanics.Translational.Components.SpringDamper spring(c=1e4, d=1e3, s_rel(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Fixed wall;
equation
  connect(accFlow.port, accumulator.port);
  connect(cylFlow.port, cylinder.port_A);
  connect(cylinder.port_B, tank.port);
  connect(cylinder.flange, mass.flange_a);
  connect(supply.port, motor.port_a);
  connect(motor.port_b, tank.port);
  connect(motor.flange, inertia.flange_a);
  connect(supply.port, valve.port_P);
  connect(valve.port_T, tank.port);
  connect(valve.port_A, load.port_a);
  connect(load.port_b, valve.port_B);
  connect(forward.y, valve.position);
  connect(pistonSupply.port, piston.port);
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, piston.flange);
  when terminal() then
    assert(abs(accumulator.V_oil - 1e-4*time) < 1e-10, "Accumulator takes the flow");
    assert(abs((accumulator.p_gas + 1.01325e5) - (5e6 + 1.01325e5)/(1 - 0.1*time)^1.4) < 10, "Polytropic gas");
    assert(abs(mass.v - 0.1) < 1e-5, "Cylinder speed q/A");
    assert(abs(cylinder.p_A - 1000*0.1/1e-3) < 10, "Cylinder pressure from friction d v/A");
    assert(abs(inertia.w - 1e-6*1e7/0.1) < 1e-6, "Motor speed D dp/d");
    // Two edges with K = 1e-3/sqrt(1e6) = 1e-6 and G = 1e-10: 2 (q/K)^2 + q/G = 1e7.
    assert(abs(2*(load.q/1e-6)^2 + load.q/1e-10 - 1e7) < 100, "4/3 valve with a load");
    assert(abs(spring.s_rel - 0.1) < 1e-6, "Piston against a spring: p A/c");
  end when;
  annotation(experiment(StopTime=2, Tolerance=1e-8));
end HydraulicActuators;
