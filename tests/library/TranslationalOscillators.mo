// Closed forms: undamped s = cos(2 t); damped, c = 5, d = 2, m = 1: s = exp(-t) (cos 2t + sin(2t)/2);
// damper alone: v = exp(-d t/m).
model TranslationalOscillators "Mass, spring, damper and rod against closed forms"
  import Modelica.Mechanics.Translational.Components.*;
  Fixed wall;
  Spring spring(c=8, s_rel0=1);
  Mass mass1(m=2, s(start=2, fixed=true), v(start=0, fixed=true)) "Equilibrium at 1";
  SpringDamper springDamper(c=5, d=2);
  Rod rod(L=0.5);
  Mass mass2(m=1, L=1, s(start=2, fixed=true), v(start=0, fixed=true)) "Its left flange starts at 1.5";
  Damper damper(d=3);
  Mass mass3(m=2, s(start=0, fixed=true), v(start=1, fixed=true));
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, mass1.flange_a);
  connect(wall.flange, springDamper.flange_a);
  connect(springDamper.flange_b, rod.flange_a);
  connect(rod.flange_b, mass2.flange_a);
  connect(wall.flange, damper.flange_a);
  connect(damper.flange_b, mass3.flange_b);
  when terminal() then
    assert(abs(mass1.s - (1 + cos(2*time))) < 1e-4, "Undamped oscillator");
    assert(abs(springDamper.s_rel - exp(-time)*(cos(2*time) + sin(2*time)/2)) < 1e-4, "Damped oscillator");
    assert(abs(mass2.s - springDamper.s_rel - 1) < 1e-9, "Rod and mass have lengths 0.5 and 1");
    assert(abs(mass3.v - exp(-1.5*time)) < 1e-4, "Decay by a damper");
    assert(abs(damper.lossPower - 3*exp(-3*time)) < 1e-3, "Power of the damper");
  end when;
  annotation(experiment(StopTime=3, Tolerance=1e-8));
end TranslationalOscillators;
