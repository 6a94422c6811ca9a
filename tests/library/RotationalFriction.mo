// Closed forms: bearing friction 2 N.m stops 1 kg.m2 at 10 rad/s after 5 s and 25 rad; brake the same.
// Clutch: inertias 1 and 3 at 8 and 0 rad/s, friction 6 N.m: speeds 8 - 6 t and 2 t meet at t = 1 with 2 rad/s.
model RotationalFriction "Bearing friction, brake and clutch"
  import Modelica.Mechanics.Rotational.*;
  Components.Inertia j1(J=1, phi(start=0, fixed=true), w(start=10, fixed=true));
  Components.BearingFriction bearing(tau_pos=[0, 2]);
  Components.Inertia j2(J=1, phi(start=0, fixed=true), w(start=-10, fixed=true));
  Components.Brake brake(fn_max=4, cgeo=2);
  Modelica.Blocks.Sources.Constant half(k=0.5);
  Components.Inertia j3(J=1, phi(start=0, fixed=true), w(start=8, fixed=true));
  Components.Clutch clutch(fn_max=12);
  Modelica.Blocks.Sources.Constant full(k=1);
  Components.Inertia j4(J=3, phi(start=0, fixed=true), w(start=0, fixed=true));
  Real w_half(start=0, fixed=true) "Speed of j3 at 0.5 s";
equation
  connect(j1.flange_b, bearing.flange_a);
  connect(j2.flange_b, brake.flange_a);
  connect(half.y, brake.f_normalized);
  connect(j3.flange_b, clutch.flange_a);
  connect(clutch.flange_b, j4.flange_a);
  connect(full.y, clutch.f_normalized);
  when time >= 0.5 then
    w_half = j3.w;
  end when;
  when terminal() then
    assert(abs(j1.phi - 25) < 1e-4 and abs(j1.w) < 1e-9, "Bearing friction");
    assert(abs(j2.phi + 25) < 1e-4 and abs(j2.w) < 1e-9, "Brake");
    assert(abs(w_half - 5) < 1e-5, "Sliding clutch");
    assert(abs(j3.w - 2) < 1e-5 and abs(j4.w - 2) < 1e-5 and clutch.locked, "Locked clutch");
    assert(abs(j4.phi - (1 + 2*(time - 1))) < 1e-4, "Angle of the driven side");
  end when;
  annotation(experiment(StopTime=7, Tolerance=1e-8));
end RotationalFriction;
