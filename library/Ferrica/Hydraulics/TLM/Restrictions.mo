within Ferrica.Hydraulics.TLM;
package Restrictions "Components that throttle"
  import Modelica.Units.SI;
  import Ferrica.Hydraulics.Oil;

  model LaminarOrifice "Pressure drop proportional to flow"
    extends Interfaces.TwoPortQ;
    parameter Real G(unit="m3/(s.Pa)", min=0) = 1e-11 "Flow per pressure drop";
  equation
    q = G*(port_a.c - port_b.c)/(1 + G*(port_a.Zc + port_b.Zc));
  end LaminarOrifice;

  model TurbulentOrifice "Sharp-edged orifice"
    extends Interfaces.RestrictionQ;
    parameter SI.Area A(min=0) = 1e-5 "Area";
    parameter Real Cq(min=0) = 0.67 "Discharge coefficient";
    parameter SI.Density rho = Oil.rho "Density";
  equation
    K = Cq*A*sqrt(2/rho);
  end TurbulentOrifice;

  model VariableOrifice "Sharp-edged orifice with opening from a signal"
    extends Interfaces.RestrictionQ;
    parameter SI.Area A(min=0) = 1e-5 "Area when open";
    parameter Real Cq(min=0) = 0.67 "Discharge coefficient";
    parameter SI.Density rho = Oil.rho "Density";
    Modelica.Blocks.Interfaces.RealInput u "Opening 0..1";
  equation
    K = Cq*A*sqrt(2/rho)*noEvent(max(0, min(1, u)));
  end VariableOrifice;

  model CheckValve "Lets flow pass from port_a to port_b only"
    extends Interfaces.TwoPortQ;
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow at dp_nom beyond p_crack";
    parameter SI.Pressure dp_nom(min=0) = 1e5 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure p_crack(min=0) = 1e4 "Pressure drop at which the valve opens";
    Interfaces.TurbulentFlow seat(
      dc=noEvent(max(0, port_a.c - port_b.c - p_crack)),
      Z=port_a.Zc + port_b.Zc,
      K=q_nom/sqrt(dp_nom)) "Seat";
  equation
    q = seat.q;
  end CheckValve;

  model PilotCheckValve "Check valve that a pilot pressure opens for return flow"
    extends Interfaces.RestrictionQ;
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e5 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure p_crack(min=0) = 1e4 "Opening pressure";
    parameter SI.Pressure dp_open(min=0) = 1e4 "Additional pressure until it is open";
    parameter Real ratio(min=0) = 4 "Pilot area over seat area";
    Interfaces.NodeQ pilot "Pilot port, without flow";
  equation
    pilot.q = 0;
    pilot.p = pilot.c;
    K = q_nom/sqrt(dp_nom)*noEvent(max(0, min(1,
      (port_a.c - port_b.c + ratio*max(0, pilot.c - port_a.c) - p_crack)/dp_open)));
  end PilotCheckValve;
end Restrictions;
