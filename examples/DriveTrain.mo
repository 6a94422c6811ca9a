// An engine drives a flywheel through a clutch and a gear; then a brake stops it.
// Look for: clutch.locked becomes true when engine and wheel have the same speed, and
// the wheel's speed then follows the engine; at 4 s the clutch opens and the brake stops the wheel for good:
// brake.locked is true from then on, wheel.w stays exactly 0.
// built-in only: the standard library's friction elements chatter in a coupled loop
model DriveTrain "Drive train with dry friction in clutch and brake"
  Modelica.Mechanics.Rotational.Sources.Torque engineTorque;
  Modelica.Mechanics.Rotational.Components.Inertia engine(J=0.2, phi(start=0, fixed=true), w(start=100, fixed=true));
  Modelica.Mechanics.Rotational.Components.Clutch clutch(fn_max=200, cgeo=0.2, mu_pos=[0, 0.5]);
  Modelica.Mechanics.Rotational.Components.IdealGear gear(ratio=4);
  Modelica.Mechanics.Rotational.Components.Inertia wheel(J=3, phi(start=0, fixed=true), w(start=0, fixed=true));
  Modelica.Mechanics.Rotational.Components.BearingFriction bearing(tau_pos=[0, 0.5; 100, 2]);
  Modelica.Mechanics.Rotational.Components.Brake brake(fn_max=500, cgeo=0.2, mu_pos=[0, 0.5], peak=1.1);
  Modelica.Blocks.Sources.Step throttle(height=-10, offset=10, startTime=4);
  Modelica.Blocks.Sources.Trapezoid pedal(amplitude=1, rising=1, width=2.5, falling=0.4, period=20, startTime=0.1);
  Modelica.Blocks.Sources.Ramp brakePedal(height=1, duration=0.5, startTime=4.5);
equation
  connect(throttle.y, engineTorque.tau);
  connect(engineTorque.flange, engine.flange_a);
  connect(engine.flange_b, clutch.flange_a);
  connect(clutch.flange_b, gear.flange_a);
  connect(gear.flange_b, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
  connect(bearing.flange_b, brake.flange_a);
  connect(pedal.y, clutch.f_normalized);
  connect(brakePedal.y, brake.f_normalized);
  annotation(experiment(StopTime=8, Interval=0.01));
end DriveTrain;
