within Ferrica;
package Bonds "Bond graph elements: effort and flow in any domain"
  // Power flows into an element through a port where e*f > 0. Resistors and storages take power up;
  // sources give it off. Connecting two ports is a bond; a bond has no equations of its own.

  connector Port "End of a bond"
    Real e "Effort";
    flow Real f "Flow into the element";
  end Port;

  partial model OnePort "One bond"
    Port p "Bond";
    Real e "Effort";
    Real f "Flow into the element";
  equation
    p.e = e;
    p.f = f;
  end OnePort;

  partial model TwoPort "Power in by p1, out by p2"
    Port p1 "Bond in";
    Port p2 "Bond out";
    Real e1 "Effort in";
    Real f1 "Flow in";
    Real e2 "Effort out";
    Real f2 "Flow out";
  equation
    p1.e = e1;
    p1.f = f1;
    p2.e = e2;
    p2.f = -f2;
  end TwoPort;

  model R "Resistor: e = R f"
    extends OnePort;
    parameter Real R = 1 "Resistance";
  equation
    e = R*f;
  end R;

  model C "Capacitor: stores the integral of flow"
    extends OnePort(e(start=0));
    parameter Real C = 1 "Capacitance";
  equation
    C*der(e) = f;
  end C;

  model I "Inertia: stores the integral of effort"
    extends OnePort(f(start=0));
    parameter Real I = 1 "Inertance";
  equation
    I*der(f) = e;
  end I;

  model Se "Source of effort"
    extends OnePort;
    parameter Real e0 = 1 "Effort";
  equation
    e = e0;
  end Se;

  model Sf "Source of flow"
    extends OnePort;
    parameter Real f0 = 1 "Flow out of the source";
  equation
    f = -f0;
  end Sf;

  model MSe "Source of effort from a signal"
    extends OnePort;
    Modelica.Blocks.Interfaces.RealInput u "Effort";
  equation
    e = u;
  end MSe;

  model MSf "Source of flow from a signal"
    extends OnePort;
    Modelica.Blocks.Interfaces.RealInput u "Flow out of the source";
  equation
    f = -u;
  end MSf;

  model MR "Resistor with resistance from a signal"
    extends OnePort;
    Modelica.Blocks.Interfaces.RealInput u "Resistance";
  equation
    e = u*f;
  end MR;

  model TF "Transformer: e1 = m e2, f2 = m f1"
    extends TwoPort;
    parameter Real m = 1 "Modulus";
  equation
    e1 = m*e2;
    f2 = m*f1;
  end TF;

  model MTF "Transformer with modulus from a signal"
    extends TwoPort;
    Modelica.Blocks.Interfaces.RealInput u "Modulus";
  equation
    e1 = u*e2;
    f2 = u*f1;
  end MTF;

  model GY "Gyrator: e1 = r f2, e2 = r f1"
    extends TwoPort;
    parameter Real r = 1 "Modulus";
  equation
    e1 = r*f2;
    e2 = r*f1;
  end GY;

  model MGY "Gyrator with modulus from a signal"
    extends TwoPort;
    Modelica.Blocks.Interfaces.RealInput u "Modulus";
  equation
    e1 = u*f2;
    e2 = u*f1;
  end MGY;

  model Junction0 "0-junction: one effort, flows sum to zero"
    parameter Integer n(min=2) = 3 "Number of bonds";
    Port p[n] "Bonds";
    Real e "Common effort";
  equation
    for i in 1:n loop
      p[i].e = e;
    end for;
    sum(p.f) = 0;
  end Junction0;

  model Junction1 "1-junction: one flow, efforts sum to zero"
    parameter Integer n(min=2) = 3 "Number of bonds";
    parameter Integer s[n] = cat(1, {1}, fill(-1, n - 1))
      "+1: the bond points into the junction, -1: out of it; by default the first points in";
    Port p[n] "Bonds";
    Real f "Common flow";
  equation
    for i in 1:n loop
      p[i].f = s[i]*f;
    end for;
    s*p.e = 0;
  end Junction1;

  model De "Effort detector"
    extends OnePort;
    Modelica.Blocks.Interfaces.RealOutput y "Effort";
  equation
    f = 0;
    y = e;
  end De;

  model Df "Flow detector"
    extends OnePort;
    Modelica.Blocks.Interfaces.RealOutput y "Flow into the detector";
  equation
    e = 0;
    y = f;
  end Df;

  package Examples "Small bond graphs that run"
    model RLC "Series RLC circuit under a constant voltage"
      Se source(e0=10) "Voltage";
      Junction1 mesh(n=4) "Mesh";
      R resistor(R=2) "Resistor";
      I coil(I=0.5, f(fixed=true)) "Inductor";
      C capacitor(C=0.1, e(fixed=true)) "Capacitor";
    equation
      connect(source.p, mesh.p[1]);
      connect(resistor.p, mesh.p[2]);
      connect(coil.p, mesh.p[3]);
      connect(capacitor.p, mesh.p[4]);
      annotation(experiment(StopTime=5));
    end RLC;

    model Motor "DC motor: armature, gyrator and rotor"
      Se voltage(e0=24) "Supply";
      Junction1 armature(n=4) "Armature current";
      R winding(R=0.5) "Resistance of the winding";
      I inductance(I=1e-3, f(fixed=true)) "Inductance of the winding";
      GY machine(r=0.1) "Torque constant";
      Junction1 shaft(n=3) "Shaft speed";
      I rotor(I=1e-3, f(fixed=true)) "Moment of inertia";
      R bearing(R=1e-4) "Viscous friction";
    equation
      connect(voltage.p, armature.p[1]);
      connect(winding.p, armature.p[2]);
      connect(inductance.p, armature.p[3]);
      connect(machine.p1, armature.p[4]);
      connect(machine.p2, shaft.p[1]);
      connect(rotor.p, shaft.p[2]);
      connect(bearing.p, shaft.p[3]);
      annotation(experiment(StopTime=1));
    end Motor;
  end Examples;
end Bonds;
