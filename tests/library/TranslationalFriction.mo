// Closed form: 1 kg at 10 m/s under 2 N of dry friction stops after 5 s and 25 m and stays there.
// The brake with mu = 0.5 and 4 N normal force acts the same; a push of 1.9 N cannot move a stuck mass.
model TranslationalFriction "Masses stopped by dry friction"
  import Modelica.Mechanics.Translational.*;
  Components.Mass mass1(m=1, s(start=0, fixed=true), v(start=10, fixed=true));
  Components.SupportFriction friction(f_pos=[0, 2]);
  Components.Mass mass2(m=1, s(start=0, fixed=true), v(start=-10, fixed=true));
  Components.Brake brake(fn_max=8);
  Modelica.Blocks.Sources.Constant half(k=0.5);
  Components.Mass mass3(m=1, s(start=0, fixed=true), v(start=0, fixed=true));
  Components.SupportFriction stuck(f_pos=[0, 2]);
  Sources.ConstantForce push(f_constant=1.9);
  Components.Mass mass4(m=1, s(start=0, fixed=true), v(start=0, fixed=true)) "Breaks away at t = 2 s";
  Components.SupportFriction breaking(f_pos=[0, 2]);
  Sources.Force ramp;
equation
  connect(mass1.flange_b, friction.flange_a);
  connect(mass2.flange_b, brake.flange_a);
  connect(half.y, brake.f_normalized);
  connect(push.flange, mass3.flange_a);
  connect(mass3.flange_b, stuck.flange_a);
  connect(ramp.flange, mass4.flange_a);
  connect(mass4.flange_b, breaking.flange_a);
  ramp.f = time;
  when terminal() then
    assert(abs(mass1.s - 25) < 1e-4, "Stopping distance");
    assert(abs(mass1.v) < 1e-9 and friction.locked, "Stopped mass is stuck");
    assert(abs(mass2.s + 25) < 1e-4, "Stopping distance under the brake, backward");
    assert(abs(mass2.v) < 1e-9 and brake.locked, "Braked mass is stuck");
    assert(abs(mass3.s) < 1e-12 and abs(stuck.f - 1.9) < 1e-9, "A stuck mass carries the push");
    // a = t - 2 from t = 2 on: v = (t - 2)^2/2.
    assert(abs(mass4.v - (time - 2)^2/2) < 1e-4, "Mass breaks away when the push exceeds the friction");
  end when;
  annotation(experiment(StopTime=7, Tolerance=1e-8));
end TranslationalFriction;
