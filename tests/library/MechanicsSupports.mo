// Closed forms in the asserts: housings that take the reaction, prescribed starts, signs of sensors.
model MechanicsSupports "Housings, initialization, remaining sources and sensors"
  import T = Modelica.Mechanics.Translational;
  import R = Modelica.Mechanics.Rotational;
  // A force between a sled (2 kg) and a block (1 kg): equal and opposite.
  T.Components.Mass sled(m=2, s(start=0, fixed=true), v(start=0, fixed=true));
  T.Components.Mass cart(m=1, s(start=0, fixed=true), v(start=0, fixed=true));
  T.Sources.ConstantForce push(f_constant=6, useSupport=true);
  T.Sensors.RelSpeedSensor relSpeed;
  T.Sensors.RelAccSensor relAcc;
  T.Sensors.MultiSensor multi;
  T.Components.RelativeStates relative;
  // A gear with an elastic housing: the housing takes the difference of the torques.
  R.Components.IdealGear gear(ratio=3, useSupport=true);
  R.Sources.ConstantTorque drive(tau_constant=2);
  R.Components.Spring mount(c=100);
  R.Components.Damper mountDamper(d=5, phi_rel(start=0, fixed=true));
  R.Components.Fixed ground;
  R.Components.Spring outputSpring(c=50);
  R.Components.Damper outputDamper(d=2, phi_rel(start=0, fixed=true));
  // Initialization by signals.
  R.Components.InitializeFlange initR(use_a_start=false);
  R.Components.Inertia rotor(J=1);
  T.Components.InitializeFlange initT(use_a_start=false);
  T.Components.Mass slider(m=1);
  // Constant power: m v v' = P, so v^2 = v0^2 + 2 P t/m.
  T.Sources.InverseSpeedDependentForce constantPower(f_nominal=4, v_nominal=1, v0=0.1);
  T.Components.Mass powered(m=2, s(start=0, fixed=true), v(start=1, fixed=true));
  R.Sources.InverseSpeedDependentTorque constantPowerR(tau_nominal=4, w_nominal=1, w0=0.1);
  R.Components.Inertia poweredR(J=2, phi(start=0, fixed=true), w(start=1, fixed=true));
  // Sign sources act as dry friction far from zero speed: v = 10 - 2 t.
  T.Sources.SignForce sign1(f_nominal=-2, v0=0.1);
  T.Components.Mass signed1(m=1, s(start=0, fixed=true), v(start=10, fixed=true));
  R.Sources.SignTorque sign2(tau_nominal=-2, w0=0.1, reg=Modelica.Blocks.Types.Regularization.Linear);
  R.Components.Inertia signed2(J=1, phi(start=0, fixed=true), w(start=10, fixed=true));
  // Eddy-current brake as in the rotational test.
  T.Sources.EddyCurrentForce eddy(f_nominal=2, v_nominal=3, TRef=293.15, alpha20=0);
  T.Components.Mass braked(m=1, s(start=0, fixed=true), v(start=3, fixed=true));
  R.Sensors.MultiSensor multiR;
  R.Sensors.RelSpeedSensor relSpeedR;
  R.Sensors.RelAccSensor relAccR;
equation
  connect(push.flange, multi.flange_a);
  connect(multi.flange_b, cart.flange_a);
  connect(push.support, sled.flange_a);
  connect(relSpeed.flange_a, sled.flange_b);
  connect(relSpeed.flange_b, cart.flange_b);
  connect(relAcc.flange_a, sled.flange_b);
  connect(relAcc.flange_b, cart.flange_b);
  connect(relative.flange_a, sled.flange_b);
  connect(relative.flange_b, cart.flange_b);
  connect(drive.flange, gear.flange_a);
  connect(gear.support, mount.flange_b);
  connect(mount.flange_a, ground.flange);
  connect(gear.support, mountDamper.flange_b);
  connect(mountDamper.flange_a, ground.flange);
  connect(gear.flange_b, outputSpring.flange_b);
  connect(outputSpring.flange_a, ground.flange);
  connect(gear.flange_b, outputDamper.flange_b);
  connect(outputDamper.flange_a, ground.flange);
  initR.phi_start = 0.5;
  initR.w_start = 2;
  initT.s_start = -0.5;
  initT.v_start = 3;
  connect(initR.flange, rotor.flange_a);
  connect(initT.flange, slider.flange_a);
  connect(constantPower.flange, powered.flange_a);
  connect(constantPowerR.flange, poweredR.flange_a);
  connect(sign1.flange, signed1.flange_a);
  connect(sign2.flange, multiR.flange_a);
  connect(multiR.flange_b, signed2.flange_a);
  connect(eddy.flange, braked.flange_a);
  connect(relSpeedR.flange_a, rotor.flange_b);
  connect(relSpeedR.flange_b, signed2.flange_b);
  connect(relAccR.flange_a, rotor.flange_b);
  connect(relAccR.flange_b, signed2.flange_b);
  when terminal() then
    assert(abs(cart.v - 6*time) < 1e-5 and abs(sled.v + 3*time) < 1e-5, "Reaction on the support");
    assert(abs(relSpeed.v_rel - 9*time) < 1e-5 and abs(relAcc.a_rel - 9) < 1e-6, "Relative sensors");
    assert(abs(multi.f - 6) < 1e-8 and abs(multi.power - 36*time) < 1e-4, "Force and power");
    assert(abs(relative.s_rel - 4.5*time^2) < 1e-5, "Relative states");
    // Output torque 6 on the spring of 50, reaction -(2 - 6)... the housing takes 4 against its spring of 100.
    assert(abs(outputSpring.phi_rel - 6/50) < 1e-5, "Gear output");
    assert(abs(mount.phi_rel + 4/100) < 1e-5, "Gear housing");
    assert(abs(rotor.phi - (0.5 + 2*time)) < 1e-6 and abs(slider.s - (3*time - 0.5)) < 1e-6, "Initialized flanges");
    assert(abs(powered.v - sqrt(1 + 4*time)) < 1e-5 and abs(poweredR.w - sqrt(1 + 4*time)) < 1e-5, "Constant power");
    assert(abs(signed1.v - (10 - 2*time)) < 1e-5 and abs(signed2.w - (10 - 2*time)) < 1e-5, "Sign sources");
    assert(abs(multiR.tau + 2) < 1e-8 and abs(multiR.w - signed2.w) < 1e-9, "Rotational sensors");
    assert(abs(relSpeedR.w_rel - (8 - 2*time)) < 1e-5 and abs(relAccR.a_rel + 2) < 1e-6, "Relative rotational sensors");
    assert(abs(3*(log(braked.v/3) + (braked.v/3)^2/2 - 0.5) + 4*time) < 1e-4, "Eddy-current brake");
  end when;
  annotation(experiment(StopTime=3, Tolerance=1e-8));
end MechanicsSupports;
