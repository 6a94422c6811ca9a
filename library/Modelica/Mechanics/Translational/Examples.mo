within Modelica.Mechanics.Translational;
package Examples "Small models that run"

  model Oscillator "Undamped and damped mass on a spring, driven at resonance"
    extends Modelica.Icons.Example;
    Components.Mass mass1(m=1, L=1, s(start=-0.5, fixed=true), v(start=0, fixed=true)) "Undamped mass";
    Components.Spring spring1(c=10000, s_rel0=1);
    Components.Fixed fixed1(s0=1);
    Sources.Force force1;
    Components.Mass mass2(m=1, L=1, s(start=-0.5, fixed=true), v(start=0, fixed=true)) "Damped mass";
    Components.SpringDamper springDamper1(c=10000, d=10, s_rel0=1);
    Components.Fixed fixed2(s0=1);
    Sources.Force force2;
    Modelica.Blocks.Sources.Sine sine(f=15.9155) "Natural frequency sqrt(c/m)/(2 pi)";
  equation
    connect(sine.y, force1.f);
    connect(sine.y, force2.f);
    connect(force1.flange, mass1.flange_a);
    connect(mass1.flange_b, spring1.flange_a);
    connect(spring1.flange_b, fixed1.flange);
    connect(force2.flange, mass2.flange_a);
    connect(mass2.flange_b, springDamper1.flange_a);
    connect(springDamper1.flange_b, fixed2.flange);
    annotation(experiment(StopTime=1.0, Interval=0.001));
  end Oscillator;

  model Friction "Mass with Stribeck friction and stops, pushed to and fro"
    extends Modelica.Icons.Example;
    Components.MassWithStopAndFriction stop(
      L=1, m=1, F_prop=1, F_Coulomb=5, F_Stribeck=10, fexp=2, smin=-0.9, smax=0.9,
      s(fixed=true), v(fixed=true)) "Slides between its stops";
    Sources.Force force;
    Modelica.Blocks.Sources.Sine sine(amplitude=25, f=0.25) "Push";
  equation
    connect(sine.y, force.f);
    connect(force.flange, stop.flange_a);
    annotation(experiment(StopTime=10.0, Tolerance=1e-6));
  end Friction;

  model ElastoGap "Mass bouncing between two soft walls"
    extends Modelica.Icons.Example;
    Components.Mass mass(m=1, L=0, s(start=0, fixed=true), v(start=1, fixed=true));
    Components.ElastoGap left(c=100, d=1);
    Components.ElastoGap right(c=100, d=1);
    Components.Fixed wallLeft(s0=-0.5);
    Components.Fixed wallRight(s0=0.5);
  equation
    connect(wallLeft.flange, left.flange_a);
    connect(left.flange_b, mass.flange_a);
    connect(mass.flange_b, right.flange_a);
    connect(right.flange_b, wallRight.flange);
    annotation(experiment(StopTime=5.0));
  end ElastoGap;
end Examples;
