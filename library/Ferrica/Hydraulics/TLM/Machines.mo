within Ferrica.Hydraulics.TLM;
package Machines "Pumps and motors"
  import Modelica.Units.SI;

  partial model PartialPump "Displacement pump with prescribed speed"
    extends Interfaces.TwoPortQ;
    parameter Real D(unit="m3/rad", min=0) = 1e-6 "Displacement per radian at full setting";
    parameter Real G_leak(unit="m3/(s.Pa)", min=0) = 0 "Internal leakage";
    Modelica.Blocks.Interfaces.RealInput w(unit="rad/s") "Speed";
    Real setting(unit="1") "Displacement over full displacement";
    SI.Torque tau "Torque that the pump takes";
  equation
    q = (setting*D*w - G_leak*(port_b.c - port_a.c))/(1 + G_leak*(port_a.Zc + port_b.Zc));
    tau = setting*D*(port_b.p - port_a.p);
  end PartialPump;

  model FixedPump "Pump with constant displacement"
    extends PartialPump;
  equation
    setting = 1;
  end FixedPump;

  model VariablePump "Pump with displacement from a signal"
    extends PartialPump;
    Modelica.Blocks.Interfaces.RealInput u "Setting -1..1";
  equation
    setting = noEvent(max(-1, min(1, u)));
  end VariablePump;

  partial model PartialMotor "Displacement motor with its inertia"
    extends Interfaces.TwoPortQ;
    parameter Real D(unit="m3/rad", min=0) = 1e-6 "Displacement per radian at full setting";
    parameter Real G_leak(unit="m3/(s.Pa)", min=0) = 0 "Internal leakage";
    parameter SI.Inertia J(min=0) = 1e-2 "Inertia of motor and shaft";
    parameter Real d(unit="N.m.s/rad", min=0) = 0 "Viscous friction";
    Interfaces.ShaftQ shaft "Shaft";
    SI.Angle phi(start=0, fixed=true) "Angle";
    SI.AngularVelocity w(start=0, fixed=true) "Speed";
    Real setting(unit="1") "Displacement over full displacement";
  equation
    q = (setting*D*w + G_leak*(port_a.c - port_b.c))/(1 + G_leak*(port_a.Zc + port_b.Zc));
    der(phi) = w;
    J*der(w) = setting*D*(port_a.p - port_b.p) - d*w - shaft.tau;
    shaft.w = w;
    shaft.phi = phi;
    shaft.tau = shaft.c + shaft.Zc*w;
  end PartialMotor;

  model FixedMotor "Motor with constant displacement"
    extends PartialMotor;
  equation
    setting = 1;
  end FixedMotor;

  model VariableMotor "Motor with displacement from a signal"
    extends PartialMotor;
    Modelica.Blocks.Interfaces.RealInput u "Setting -1..1";
  equation
    setting = noEvent(max(-1, min(1, u)));
  end VariableMotor;
end Machines;
