within Ferrica.Hydraulics;
package Restrictions "Components that throttle"
  import Modelica.Units.SI;

  model LaminarOrifice "Pressure drop proportional to flow"
    extends Interfaces.TwoPort;
    parameter Real G(unit="m3/(s.Pa)", min=0) = 1e-11 "Flow per pressure drop";
  equation
    q = G*dp;
  end LaminarOrifice;

  model CapillaryPipe "Laminar flow through a thin pipe (Hagen-Poiseuille)"
    extends LaminarOrifice(final G=Modelica.Constants.pi*D^4/(128*mu*L));
    parameter SI.Length L = 0.1 "Length";
    parameter SI.Diameter D = 1e-3 "Inner diameter";
    parameter SI.DynamicViscosity mu = Oil.mu "Viscosity";
  end CapillaryPipe;

  model TurbulentOrifice "Sharp-edged orifice"
    extends Interfaces.Restriction;
    parameter SI.Area A(min=0) = 1e-5 "Area";
    parameter Real Cq(min=0) = 0.67 "Discharge coefficient";
    parameter SI.Density rho = Oil.rho "Density";
  equation
    K = Cq*A*sqrt(2/rho);
  end TurbulentOrifice;

  model VariableOrifice "Sharp-edged orifice with opening from a signal"
    extends Interfaces.Restriction;
    parameter SI.Area A(min=0) = 1e-5 "Area when open";
    parameter Real Cq(min=0) = 0.67 "Discharge coefficient";
    parameter SI.Density rho = Oil.rho "Density";
    Modelica.Blocks.Interfaces.RealInput u "Opening 0..1";
  equation
    K = Cq*A*sqrt(2/rho)*noEvent(max(0, min(1, u)));
  end VariableOrifice;

  model CheckValve "Lets flow pass from port_a to port_b only"
    extends Interfaces.Restriction;
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e5 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure p_crack(min=0) = 1e4 "Pressure drop at which the valve begins to open";
    parameter SI.Pressure dp_open(min=0) = 1e4 "Additional pressure drop until it is open";
    parameter Real leakage(min=0) = 1e-6 "Flow coefficient of the closed valve over that of the open one";
  equation
    K = q_nom/sqrt(dp_nom)*noEvent(max(leakage, min(1, (dp - p_crack)/dp_open)));
  end CheckValve;

  model PilotCheckValve "Check valve that a pilot pressure opens for return flow"
    extends Interfaces.Restriction;
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e5 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure p_crack(min=0) = 1e4 "Pressure drop at which the valve begins to open";
    parameter SI.Pressure dp_open(min=0) = 1e4 "Additional pressure drop until it is open";
    parameter Real ratio(min=0) = 4 "Pilot area over seat area";
    parameter Real leakage(min=0) = 1e-6 "Flow coefficient of the closed valve over that of the open one";
    Interfaces.Port pilot "Pilot port, without flow";
  equation
    pilot.q = 0;
    K = q_nom/sqrt(dp_nom)*noEvent(max(leakage,
      min(1, (dp + ratio*max(0, pilot.p - port_a.p) - p_crack)/dp_open)));
  end PilotCheckValve;

  model ShuttleValve "Connects the higher of two pressures to the outlet"
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e5 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure dp_switch(min=0) = 1e4 "Pressure difference that moves the ball";
    Interfaces.Port port_a "First inlet";
    Interfaces.Port port_b "Second inlet";
    Interfaces.Port port_c "Outlet";
    Real x(unit="1") "Ball: 1 opens port_a, 0 opens port_b";
  protected
    parameter Real K = q_nom/sqrt(dp_nom) "Flow coefficient";
    parameter SI.Pressure dp_lam = 100 "Below this pressure drop the flow is laminar";
  equation
    x = noEvent(max(0, min(1, 0.5 + (port_a.p - port_b.p)/(2*dp_switch))));
    port_a.q = x*K*(port_a.p - port_c.p)/((port_a.p - port_c.p)^2 + dp_lam^2)^0.25;
    port_b.q = (1 - x)*K*(port_b.p - port_c.p)/((port_b.p - port_c.p)^2 + dp_lam^2)^0.25;
    port_a.q + port_b.q + port_c.q = 0;
  end ShuttleValve;
end Restrictions;
