// Closed forms. Lossy gear, flange_a drives, eta = 0.8, ratio 2, no bearing friction: the load torque is
// 2*0.8*tau_a, so with J_load = 4 and tau = 5 at standstill-free start a_b = 8/4 (motor without inertia).
// Bearing friction of 1 N.m on 1 kg.m2 at 4 rad/s: stops after 4 s and 8 rad.
model RotationalGears "Lossy gear, play, free wheel, gearbox"
  import Modelica.Mechanics.Rotational.*;
  Components.LossyGear lossy(ratio=2, lossTable=[0, 0.8, 0.8, 0, 0]);
  Components.Inertia load(J=4, phi(start=0, fixed=true), w(start=0.01, fixed=true));
  Sources.ConstantTorque five(tau_constant=5);
  Components.LossyGear sticky(ratio=1, lossTable=[0, 1, 1, 1, 1]);
  Components.Inertia spinning(J=1, phi(start=0, fixed=true), w(start=4, fixed=true));
  Components.ElastoBacklash play(c=100, d=0, b=0.2);
  Components.Inertia bouncing(J=1, phi(start=0, fixed=true), w(start=1, fixed=true));
  Components.Fixed fixed;
  Components.OneWayClutch freeWheel(fn_max=1);
  Modelica.Blocks.Sources.Constant released(k=0);
  Sources.ConstantSpeed driver(w_fixed=1, phi(start=0, fixed=true));
  Components.Inertia overrunning(J=1, phi(start=0, fixed=true), w(start=5, fixed=true));
  Sources.ConstantTorque against(tau_constant=-1);
equation
  connect(five.flange, lossy.flange_a);
  connect(lossy.flange_b, load.flange_a);
  connect(spinning.flange_b, sticky.flange_a);
  connect(bouncing.flange_b, play.flange_a);
  connect(play.flange_b, fixed.flange);
  connect(driver.flange, freeWheel.flange_a);
  connect(freeWheel.flange_b, overrunning.flange_a);
  connect(overrunning.flange_b, against.flange);
  connect(released.y, freeWheel.f_normalized);
  when terminal() then
    assert(abs(load.w - (0.01 + 2*time)) < 1e-4, "Lossy gear: acceleration 2*0.8*5/4");
    assert(abs(spinning.phi - 8) < 1e-4 and abs(spinning.w) < 1e-9, "Bearing friction of the gear");
    // Play of 0.1 to each side, then half a period pi/10 on the spring, then back through 0.2, and so on.
    assert(abs(bouncing.w) <= 1.0001, "Play neither takes nor gives energy");
    assert(abs(0.5*bouncing.w^2 + 50*max(0, abs(bouncing.phi) - 0.1)^2 - 0.5) < 1e-3, "Energy of the play");
    // Overrunning until 5 - t = 1 at t = 4, then carried along.
    assert(abs(overrunning.w - 1) < 1e-5, "Free wheel carries the load");
  end when;
  annotation(experiment(StopTime=6, Tolerance=1e-8));
end RotationalGears;
