// Closed forms: gearbox without play or loss is a gear and a spring: steady twist tau ratio/c;
// ElastoBacklash2 conserves energy without damper; adaptors return prescribed motion and torque.
model MechanicsGearbox "Gearbox, play and adaptors"
  import Modelica.Mechanics.Rotational.*;
  Components.Gearbox gearbox(ratio=2, c=1000, d=50, b=0, phi_rel(start=0, fixed=true));
  Sources.ConstantTorque drive(tau_constant=5);
  Components.Inertia motor(J=0.1, phi(start=0, fixed=true), w(start=0, fixed=true));
  Components.Inertia load(J=1, w(start=0, fixed=true));
  Components.Damper brake(d=10);
  Components.Fixed ground;
  Components.ElastoBacklash2 play(c=100, d=0, b=0.2);
  Components.Inertia bouncing(J=1, phi(start=0, fixed=true), w(start=1, fixed=true));
  Components.AngleToTorqueAdaptor angleToTorque;
  Components.Inertia follower(J=2);
  Components.TorqueToAngleAdaptor torqueToAngle;
  Components.Inertia driven(J=2, phi(start=0, fixed=true), w(start=0, fixed=true));
equation
  connect(drive.flange, motor.flange_a);
  connect(motor.flange_b, gearbox.flange_a);
  connect(gearbox.flange_b, load.flange_a);
  connect(load.flange_b, brake.flange_a);
  connect(brake.flange_b, ground.flange);
  connect(bouncing.flange_b, play.flange_a);
  connect(play.flange_b, ground.flange);
  angleToTorque.phi = sin(time);
  angleToTorque.w = cos(time);
  angleToTorque.a = -sin(time);
  connect(angleToTorque.flange, follower.flange_a);
  torqueToAngle.tau = -3;
  connect(torqueToAngle.flange, driven.flange_a);
  when terminal() then
    assert(abs(load.w - 1) < 1e-4 and abs(motor.w - 2) < 1e-4, "Steady speed: 2*5 against 10 w");
    assert(abs(gearbox.phi_rel + 10/1000) < 1e-5, "Steady twist");
    assert(abs(0.5*bouncing.w^2 + 50*max(0, abs(bouncing.phi) - 0.1)^2 - 0.5) < 1e-3, "Energy of the play");
    assert(abs(follower.phi - sin(time)) < 1e-6 and abs(angleToTorque.tau + 2*sin(time)) < 1e-6, "Prescribed motion");
    assert(abs(torqueToAngle.w - 1.5*time) < 1e-5 and abs(torqueToAngle.a - 1.5) < 1e-8, "Prescribed torque");
  end when;
  annotation(experiment(StopTime=4, Tolerance=1e-8));
end MechanicsGearbox;
