// RotationalEMF at a constant voltage with inertia: w = V/k (1 - exp(-t k^2/(R J))); the translational one alike.
model EmfMachines
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Basic.Ground ground;
  Basic.Resistor r1(R=2);
  Basic.Resistor r2(R=2);
  Basic.RotationalEMF rotational(k=0.5);
  Basic.TranslationalEMF translational(k=0.5);
  Modelica.Mechanics.Rotational.Components.Inertia inertia(J=0.25, w(start=0, fixed=true), phi(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Mass mass(m=0.25, v(start=0, fixed=true), s(start=0, fixed=true));
equation
  connect(v.n, ground.p); connect(v.p, r1.p); connect(r1.n, rotational.p); connect(rotational.n, ground.p);
  connect(v.p, r2.p); connect(r2.n, translational.p); connect(translational.n, ground.p);
  connect(rotational.flange, inertia.flange_a); connect(translational.flange, mass.flange_a);
  when terminal() then
    assert(abs(inertia.w - 20*(1 - exp(-1))) < 1e-3, "RotationalEMF");
    assert(abs(mass.v - 20*(1 - exp(-1))) < 1e-3, "TranslationalEMF");
  end when;
  annotation(experiment(StopTime=2));
end EmfMachines;
