within Ferrica.Hydraulics;
package Interfaces "Ports and the equations that several components share"
  import Modelica.Units.SI;

  connector Port "Hydraulic port"
    SI.Pressure p "Pressure relative to the tank";
    flow SI.VolumeFlowRate q "Flow into the component";
  end Port;

  partial model TwoPort "Flow from port_a to port_b, no storage"
    Port port_a "Inlet";
    Port port_b "Outlet";
    SI.Pressure dp "Pressure drop from port_a to port_b";
    SI.VolumeFlowRate q "Flow from port_a to port_b";
  equation
    dp = port_a.p - port_b.p;
    q = port_a.q;
    port_a.q + port_b.q = 0;
  end TwoPort;

  partial model Restriction "Turbulent restriction; the coefficient K is set by the component"
    // q = K sqrt(dp), with a finite slope below dp_lam: the flow is laminar there.
    extends TwoPort;
    parameter SI.Pressure dp_lam(min=0) = 100 "Below this pressure drop the flow is laminar";
    Real K(unit="m3/(s.Pa0.5)", min=0) "Flow coefficient";
  equation
    q = K*dp/(dp^2 + dp_lam^2)^0.25;
  end Restriction;

  partial model ControlledRestriction "Restriction whose opening follows a pressure, with a lag"
    extends Restriction;
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e6 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure dp_open(min=0) = 5e5 "Change of the control pressure from closed to open";
    parameter SI.Time tau(min=0) = 1e-3 "Time constant of the spool";
    Real x(start=0, fixed=true, min=0, max=1, unit="1") "Opening, 0..1";
    SI.Pressure p_control "Control pressure beyond the setting; positive opens";
  equation
    tau*der(x) = noEvent(max(0, min(1, p_control/dp_open))) - x;
    K = x*q_nom/sqrt(dp_nom);
  end ControlledRestriction;

  partial model SwitchedSpool "Spool that follows a switching command"
    parameter SI.Time t_switch(min=0) = 0.02 "Time for 95 % of the travel";
    Real x(start=0, fixed=true, unit="1") "Spool position, -1..1";
  protected
    Real x_command "Commanded position";
  equation
    t_switch/3*der(x) = x_command - x;
  end SwitchedSpool;

  partial model ProportionalSpool "Spool that follows a signal as a system of second order"
    parameter SI.Frequency f_spool(min=0) = 50 "Natural frequency of the spool";
    parameter Real D_spool(min=0) = 0.8 "Damping ratio of the spool";
    Modelica.Blocks.Interfaces.RealInput u "Commanded position, -1..1";
    Real x(start=0, fixed=true, unit="1") "Spool position, -1..1";
    Real v(start=0, fixed=true, unit="1/s") "Spool velocity";
  protected
    parameter SI.AngularFrequency w_spool = 2*Modelica.Constants.pi*f_spool "Natural angular frequency";
  equation
    der(x) = v;
    der(v) = w_spool^2*(noEvent(max(-1, min(1, u))) - x) - 2*D_spool*w_spool*v;
  end ProportionalSpool;

  partial model SpoolEdges "Parameters of the metering edges of a spool valve"
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow over one fully open edge at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e6 "Pressure drop at which q_nom was measured";
    parameter Real overlap(min=0, max=1) = 0 "Travel until an edge opens, as part of the stroke";
    parameter Real leakage(min=0) = 1e-5 "Flow coefficient of a closed edge over that of an open one";
    parameter SI.Pressure dp_lam(min=0) = 100 "Below this pressure drop the flow is laminar";
  protected
    parameter Real K_nom(unit="m3/(s.Pa0.5)") = q_nom/sqrt(dp_nom) "Flow coefficient of an open edge";
  end SpoolEdges;
end Interfaces;
