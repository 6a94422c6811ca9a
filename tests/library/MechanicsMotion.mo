// Prescribed motion phi = t^2/2 of an inertia J = 2 needs the torque 2 and the power 2 t. Two inertias 1 and 2 on a spring c = 6
// swing against each other with w^2 = 6*(1/1 + 1/2) = 9: phi_rel = 0.1 cos(3 t). A rack and pinion of ratio 10 turns
// a torque of 3 into a force of 30 on a mass of 5 (the pinion has no inertia): v = 6 t.
model MechanicsMotion
  import Modelica.Mechanics.Rotational;
  import Modelica.Mechanics.Translational;
  Rotational.Sources.Move move;
  Rotational.Sensors.PowerSensor power;
  Rotational.Components.Inertia driven(J=2);
  Rotational.Components.Inertia left(J=1, phi(start=0, fixed=true), w(start=0, fixed=true));
  Rotational.Components.Inertia right(J=2);
  Rotational.Components.Spring spring(c=6, phi_rel0=0);
  Rotational.Components.RelativeStates twist(phi_rel(start=0.1, fixed=true), w_rel(start=0, fixed=true));
  Rotational.Sources.ConstantTorque torque(tau_constant=3);
  Translational.Components.IdealGearR2T rack(ratio=10);
  Translational.Components.Mass mass(m=5, s(start=0, fixed=true), v(start=0, fixed=true));
equation
  move.u = {time^2/2, time, 1};
  connect(move.flange, power.flange_a);
  connect(power.flange_b, driven.flange_a);
  connect(left.flange_b, spring.flange_a);
  connect(spring.flange_b, right.flange_a);
  connect(left.flange_b, twist.flange_a);
  connect(twist.flange_b, right.flange_a);
  connect(torque.flange, rack.flangeR);
  connect(rack.flangeT, mass.flange_a);
  when terminal() then
    assert(abs(power.power - 2*time) < 1e-6 and abs(driven.flange_a.tau - 2) < 1e-6, "Move, PowerSensor");
    assert(abs(twist.phi_rel - 0.1*cos(3*time)) < 1e-6, "RelativeStates");
    assert(abs(mass.v - 6*time) < 1e-6, "IdealGearR2T");
  end when;
  annotation(experiment(StopTime=2, Tolerance=1e-9));
end MechanicsMotion;
