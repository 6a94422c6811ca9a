// Closed forms: torsion pendulum cos(2 t); damped exp(-t) (cos 2t + sin(2t)/2); gear doubles, planetary adds.
model RotationalOscillators "Inertia, spring, damper and ideal gears against closed forms"
  import Modelica.Mechanics.Rotational.*;
  Components.Fixed wall;
  Components.Spring spring(c=8);
  Components.Inertia inertia1(J=2, phi(start=1, fixed=true), w(start=0, fixed=true));
  Components.SpringDamper springDamper(c=5, d=2);
  Components.Disc disc(deltaPhi=0.5);
  Components.Inertia inertia2(J=1, phi(start=1.5, fixed=true), w(start=0, fixed=true));
  Components.Damper damper(d=3);
  Components.Inertia inertia3(J=2, phi(start=0, fixed=true), w(start=1, fixed=true));
  Components.IdealGear gear(ratio=3);
  Components.Inertia fast(J=1, phi(start=0, fixed=true), w(start=0, fixed=true));
  Components.Inertia slow(J=9);
  Sources.ConstantTorque drive(tau_constant=4);
  Components.IdealPlanetary planetary(ratio=2);
  Sources.ConstantSpeed sun(w_fixed=3, phi(start=0, fixed=true));
  Sources.ConstantSpeed ring(w_fixed=6, phi(start=0, fixed=true));
  Components.Inertia carrier(J=1);
  Components.IdealGearR2T rack(ratio=2);
  Modelica.Mechanics.Translational.Components.Mass rackMass(m=4);
  Components.Inertia pinion(J=1, phi(start=0, fixed=true), w(start=0, fixed=true));
  Sources.ConstantTorque pinionTorque(tau_constant=6);
  Components.IdealRollingWheel wheel(radius=0.5);
  Modelica.Mechanics.Translational.Components.Mass car(m=4, s(start=0, fixed=true), v(start=0, fixed=true));
  Sources.ConstantTorque wheelTorque(tau_constant=2);
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, inertia1.flange_a);
  connect(wall.flange, springDamper.flange_a);
  connect(springDamper.flange_b, disc.flange_a);
  connect(disc.flange_b, inertia2.flange_a);
  connect(wall.flange, damper.flange_a);
  connect(damper.flange_b, inertia3.flange_a);
  connect(drive.flange, fast.flange_a);
  connect(fast.flange_b, gear.flange_a);
  connect(gear.flange_b, slow.flange_a);
  connect(sun.flange, planetary.sun);
  connect(ring.flange, planetary.ring);
  connect(planetary.carrier, carrier.flange_a);
  connect(pinionTorque.flange, pinion.flange_a);
  connect(pinion.flange_b, rack.flangeR);
  connect(rack.flangeT, rackMass.flange_a);
  connect(wheelTorque.flange, wheel.flangeR);
  connect(wheel.flangeT, car.flange_a);
  when terminal() then
    assert(abs(inertia1.phi - cos(2*time)) < 1e-4, "Torsion pendulum");
    assert(abs(springDamper.phi_rel - exp(-time)*(cos(2*time) + sin(2*time)/2)) < 1e-4, "Damped pendulum");
    assert(abs(inertia3.w - exp(-1.5*time)) < 1e-4, "Decay by a damper");
    // Inertia at the fast side: 1 + 9/9 = 2, so the acceleration is 2.
    assert(abs(fast.w - 2*time) < 1e-5 and abs(slow.w - 2*time/3) < 1e-5, "Ideal gear");
    assert(abs(carrier.w - 5) < 1e-6, "Planetary: (3 + 2*6)/3");
    // Inertia at the pinion: 1 + 4/2^2 = 2, so the acceleration is 3.
    assert(abs(pinion.w - 3*time) < 1e-5 and abs(rackMass.v - 1.5*time) < 1e-5, "Rack and pinion");
    assert(abs(car.v - time) < 1e-5, "Wheel: force 2/0.5 = 4 on 4 kg");
  end when;
  annotation(experiment(StopTime=3, Tolerance=1e-8));
end RotationalOscillators;
