// Closed form: 1 kg, push 10 N, friction 5 N, from rest: a = 5 m/s2, reaches the stop at s = 2.5 m after 1 s.
// A push of -10 N from 2 s on brings it back: s = 2.5 - 2.5 (t - 2)^2, and it rests at -2.5 m.
model TranslationalStops "Mass with friction between hard stops"
  import Modelica.Mechanics.Translational.*;
  Components.MassWithStopAndFriction mass(L=1, m=1, smin=-3, smax=3, F_prop=0, F_Coulomb=5, F_Stribeck=0, fexp=0,
    s(start=0, fixed=true), v(start=0, fixed=true));
  Sources.Force force;
  Real s_hit(start=0, fixed=true) "Position at 1.5 s";
  Real s_back(start=0, fixed=true) "Position at 3 s";
equation
  connect(force.flange, mass.flange_a);
  force.f = if time < 2 then 10 else -10;
  when time >= 1.5 then
    s_hit = mass.s;
  end when;
  when time >= 3 then
    s_back = mass.s;
  end when;
  when terminal() then
    assert(abs(s_hit - 2.5) < 1e-5, "Held by the right stop");
    assert(abs(s_back - 0) < 1e-4, "On the way back");
    assert(abs(mass.s + 2.5) < 1e-5 and abs(mass.v) < 1e-9, "Held by the left stop");
  end when;
  annotation(experiment(StopTime=5, Tolerance=1e-8));
end TranslationalStops;
