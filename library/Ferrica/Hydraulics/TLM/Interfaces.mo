within Ferrica.Hydraulics.TLM;
package Interfaces "Wave ports and the equations that several components share"
  import Modelica.Units.SI;

  connector NodeQ "Hydraulic wave port of a component that gives pressure and flow"
    output SI.Pressure p "Pressure";
    output SI.VolumeFlowRate q "Flow into the C component";
    input SI.Pressure c "Arriving wave";
    input Real Zc(unit="Pa.s/m3") "Impedance of the C component";
  end NodeQ;

  connector NodeC "Hydraulic wave port of a component that gives wave and impedance"
    input SI.Pressure p "Pressure";
    input SI.VolumeFlowRate q "Flow into the C component";
    output SI.Pressure c "Wave sent";
    output Real Zc(unit="Pa.s/m3") "Impedance of the C component";
  end NodeC;

  connector RodQ "Translational wave port of a component that gives force and motion"
    output SI.Force f "Compression";
    output SI.Velocity v "Velocity into the C component";
    output SI.Position x "Travel into the C component";
    input SI.Force c "Arriving wave";
    input Real Zc(unit="N.s/m") "Impedance of the C component";
  end RodQ;

  connector RodC "Translational wave port of a component that gives wave and impedance"
    input SI.Force f "Compression";
    input SI.Velocity v "Velocity into the C component";
    input SI.Position x "Travel into the C component";
    output SI.Force c "Wave sent";
    output Real Zc(unit="N.s/m") "Impedance of the C component";
  end RodC;

  connector ShaftQ "Rotational wave port of a component that gives torque and rotation"
    output SI.Torque tau "Torque";
    output SI.AngularVelocity w "Speed into the C component";
    output SI.Angle phi "Angle into the C component";
    input SI.Torque c "Arriving wave";
    input Real Zc(unit="N.m.s/rad") "Impedance of the C component";
  end ShaftQ;

  connector ShaftC "Rotational wave port of a component that gives wave and impedance"
    input SI.Torque tau "Torque";
    input SI.AngularVelocity w "Speed into the C component";
    input SI.Angle phi "Angle into the C component";
    output SI.Torque c "Wave sent";
    output Real Zc(unit="N.m.s/rad") "Impedance of the C component";
  end ShaftC;

  partial model TwoPortQ "Flow from port_a to port_b between two C components"
    NodeQ port_a "Inlet";
    NodeQ port_b "Outlet";
    SI.VolumeFlowRate q "Flow from port_a to port_b";
  equation
    port_a.q = -q;
    port_b.q = q;
    port_a.p = port_a.c - port_a.Zc*q;
    port_b.p = port_b.c + port_b.Zc*q;
  end TwoPortQ;

  model TurbulentFlow "Flow through a turbulent restriction between two waves, in closed form"
    // q = K sqrt(dp) and dp = dc - Z q give a quadratic equation; this form of its root has no
    // cancellation and no infinite slope.
    input SI.Pressure dc "Difference of the waves";
    input Real Z(unit="Pa.s/m3") "Sum of the impedances";
    input Real K(unit="m3/(s.Pa0.5)") "Flow coefficient";
    output SI.VolumeFlowRate q "Flow";
  protected
    constant SI.Pressure dp_tiny = 1e-6 "Keeps slopes finite at dc = 0; far below any pressure drop that matters";
  equation
    q = K*dc/(sqrt(noEvent(abs(dc)) + (K*Z/2)^2 + dp_tiny) + K*Z/2);
  end TurbulentFlow;

  partial model RestrictionQ "Turbulent restriction; the coefficient K is set by the component"
    extends TwoPortQ;
    Real K(unit="m3/(s.Pa0.5)", min=0) "Flow coefficient";
  protected
    constant SI.Pressure dp_tiny = 1e-6 "Keeps slopes finite at dc = 0; far below any pressure drop that matters";
    SI.Pressure dc "Difference of the waves";
    Real KZ(unit="Pa0.5") "Flow coefficient times half the impedance";
  equation
    dc = port_a.c - port_b.c;
    KZ = K*(port_a.Zc + port_b.Zc)/2;
    q = K*dc/(sqrt(noEvent(abs(dc)) + KZ^2 + dp_tiny) + KZ);
  end RestrictionQ;

  partial model ControlledRestrictionQ "Restriction whose opening follows a pressure, with a lag"
    extends RestrictionQ;
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e6 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure dp_open(min=0) = 5e5 "Change of the control pressure from closed to open";
    parameter SI.Time tau(min=0) = 1e-3 "Time constant of the spool";
    Real x(start=0, fixed=true, min=0, max=1, unit="1") "Opening, 0..1";
    SI.Pressure p_control "Control pressure beyond the setting; positive opens";
  equation
    tau*der(x) = noEvent(max(0, min(1, p_control/dp_open))) - x;
    K = x*q_nom/sqrt(dp_nom);
  end ControlledRestrictionQ;

  partial model LineC "Waves from end to end in the time T"
    parameter SI.Time T(min=0) = 1e-4 "Travelling time from end to end";
    parameter SI.Pressure p_start = 0 "Pressure before the start";
    parameter SI.VolumeFlowRate q_start = 0 "Flow from port_a to port_b before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    parameter Real Z(unit="Pa.s/m3") "Characteristic impedance";
    parameter Real R(unit="Pa.s/m3") = 0 "Laminar resistance, half of it at each end";
    NodeC port_a "One end";
    NodeC port_b "Other end";
  initial equation
    startTime = time;
  equation
    port_a.Zc = Z + R/2;
    port_b.Zc = Z + R/2;
    port_a.c = if time < startTime + T then p_start - Z*q_start else delay(port_b.c + 2*Z*port_b.q, T);
    port_b.c = if time < startTime + T then p_start + Z*q_start else delay(port_a.c + 2*Z*port_a.q, T);
  end LineC;
end Interfaces;
