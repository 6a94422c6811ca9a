within Ferrica.Hydraulics.TLM;
package Valves "Directional, proportional and pressure valves"
  import Modelica.Units.SI;

  partial model SpoolEdges "Parameters of the metering edges of a spool valve"
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow over one fully open edge at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e6 "Pressure drop at which q_nom was measured";
    parameter Real overlap(min=0, max=1) = 0 "Travel until an edge opens, as part of the stroke";
  protected
    parameter Real K_nom(unit="m3/(s.Pa0.5)") = q_nom/sqrt(dp_nom) "Flow coefficient of an open edge";
    Real plus(unit="1") "Opening of the edges that open towards +1";
    Real minus(unit="1") "Opening of the edges that open towards -1";
  end SpoolEdges;

  // With an overlap of zero or more at most one edge of each port is open, so each edge's flow follows in
  // closed form from the waves of its two ports.
  partial model Body22 "2/2 valve: P to A"
    extends SpoolEdges;
    Interfaces.NodeQ port_P "Inlet";
    Interfaces.NodeQ port_A "Outlet";
    Interfaces.TurbulentFlow PA(dc=port_P.c - port_A.c, Z=port_P.Zc + port_A.Zc, K=K_nom*plus) "P to A";
  equation
    minus = 0;
    port_P.q = -PA.q;
    port_A.q = PA.q;
    port_P.p = port_P.c + port_P.Zc*port_P.q;
    port_A.p = port_A.c + port_A.Zc*port_A.q;
  end Body22;

  partial model Body33 "3/3 valve: P to A at +1, closed at 0, A to T at -1"
    extends SpoolEdges;
    Interfaces.NodeQ port_P "Supply";
    Interfaces.NodeQ port_A "Working port";
    Interfaces.NodeQ port_T "Tank";
    Interfaces.TurbulentFlow PA(dc=port_P.c - port_A.c, Z=port_P.Zc + port_A.Zc, K=K_nom*plus) "P to A";
    Interfaces.TurbulentFlow AT(dc=port_A.c - port_T.c, Z=port_A.Zc + port_T.Zc, K=K_nom*minus) "A to T";
  equation
    port_P.q = -PA.q;
    port_A.q = PA.q - AT.q;
    port_T.q = AT.q;
    port_P.p = port_P.c + port_P.Zc*port_P.q;
    port_A.p = port_A.c + port_A.Zc*port_A.q;
    port_T.p = port_T.c + port_T.Zc*port_T.q;
  end Body33;

  partial model Body4 "Valve with four ports: P to A and B to T at +1, P to B and A to T at -1"
    extends SpoolEdges;
    Interfaces.NodeQ port_P "Supply";
    Interfaces.NodeQ port_A "First working port";
    Interfaces.NodeQ port_B "Second working port";
    Interfaces.NodeQ port_T "Tank";
    Interfaces.TurbulentFlow PA(dc=port_P.c - port_A.c, Z=port_P.Zc + port_A.Zc, K=K_nom*plus) "P to A";
    Interfaces.TurbulentFlow BT(dc=port_B.c - port_T.c, Z=port_B.Zc + port_T.Zc, K=K_nom*plus) "B to T";
    Interfaces.TurbulentFlow PB(dc=port_P.c - port_B.c, Z=port_P.Zc + port_B.Zc, K=K_nom*minus) "P to B";
    Interfaces.TurbulentFlow AT(dc=port_A.c - port_T.c, Z=port_A.Zc + port_T.Zc, K=K_nom*minus) "A to T";
  equation
    port_P.q = -PA.q - PB.q;
    port_A.q = PA.q - AT.q;
    port_B.q = PB.q - BT.q;
    port_T.q = AT.q + BT.q;
    port_P.p = port_P.c + port_P.Zc*port_P.q;
    port_A.p = port_A.c + port_A.Zc*port_A.q;
    port_B.p = port_B.c + port_B.Zc*port_B.q;
    port_T.p = port_T.c + port_T.Zc*port_T.q;
  end Body4;

  model Directional22 "2/2 directional valve"
    extends Body22;
    extends Ferrica.Hydraulics.Interfaces.SwitchedSpool;
    Modelica.Blocks.Interfaces.BooleanInput open "true: open";
  equation
    x_command = if open then 1 else 0;
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
  end Directional22;

  model Directional33 "3/3 directional valve"
    extends Body33;
    extends Ferrica.Hydraulics.Interfaces.SwitchedSpool;
    Modelica.Blocks.Interfaces.IntegerInput position "+1: P to A, 0: closed, -1: A to T";
  equation
    x_command = position;
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
    minus = noEvent(max(0, min(1, (-x - overlap)/(1 - overlap))));
  end Directional33;

  model Directional42 "4/2 directional valve"
    extends Body4;
    extends Ferrica.Hydraulics.Interfaces.SwitchedSpool(x(start=1));
    Modelica.Blocks.Interfaces.BooleanInput cross "false: P to A and B to T, true: P to B and A to T";
  equation
    x_command = if cross then -1 else 1;
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
    minus = noEvent(max(0, min(1, (-x - overlap)/(1 - overlap))));
  end Directional42;

  model Directional43 "4/3 directional valve, closed in the middle"
    extends Body4;
    extends Ferrica.Hydraulics.Interfaces.SwitchedSpool;
    Modelica.Blocks.Interfaces.IntegerInput position "+1: P to A and B to T, 0: closed, -1: P to B and A to T";
  equation
    x_command = position;
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
    minus = noEvent(max(0, min(1, (-x - overlap)/(1 - overlap))));
  end Directional43;

  model Proportional22 "2/2 proportional valve"
    extends Body22;
    extends Ferrica.Hydraulics.Interfaces.ProportionalSpool;
  equation
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
  end Proportional22;

  model Proportional33 "3/3 proportional valve"
    extends Body33;
    extends Ferrica.Hydraulics.Interfaces.ProportionalSpool;
  equation
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
    minus = noEvent(max(0, min(1, (-x - overlap)/(1 - overlap))));
  end Proportional33;

  model Proportional42 "4/2 proportional valve: one solenoid, P to A and B to T when commanded"
    extends Body4;
    extends Ferrica.Hydraulics.Interfaces.ProportionalSpool;
  equation
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
    minus = 0;
  end Proportional42;

  model Proportional43 "4/3 proportional valve, closed in the middle"
    extends Body4;
    extends Ferrica.Hydraulics.Interfaces.ProportionalSpool;
  equation
    plus = noEvent(max(0, min(1, (x - overlap)/(1 - overlap))));
    minus = noEvent(max(0, min(1, (-x - overlap)/(1 - overlap))));
  end Proportional43;

  model ReliefValve "Opens when the inlet exceeds the set pressure"
    extends Interfaces.ControlledRestrictionQ;
    parameter SI.Pressure p_set = 1e7 "Inlet pressure (above the outlet) at which the valve begins to open";
  equation
    p_control = port_a.p - port_b.p - p_set;
  end ReliefValve;

  model ReducingValve "Closes when the outlet exceeds the set pressure"
    extends Interfaces.ControlledRestrictionQ(x(start=1));
    parameter SI.Pressure p_set = 5e6 "Outlet pressure at which the valve is closed";
  equation
    p_control = p_set - port_b.p;
  end ReducingValve;

  model Compensator "Keeps the pressure difference of two pilot ports, for example over a metering edge"
    extends Interfaces.ControlledRestrictionQ(x(start=1));
    parameter SI.Pressure dp_set = 1e6 "Pressure difference pilot_a - pilot_b at which the valve is closed";
    Interfaces.NodeQ pilot_a "Upstream of the metering edge, without flow";
    Interfaces.NodeQ pilot_b "Downstream of the metering edge, without flow";
  equation
    pilot_a.q = 0;
    pilot_b.q = 0;
    pilot_a.p = pilot_a.c;
    pilot_b.p = pilot_b.c;
    p_control = dp_set - (pilot_a.p - pilot_b.p);
  end Compensator;

  model OverCentreValve "Load-holding valve: opened by load and pilot pressure, free flow back"
    extends Interfaces.TwoPortQ;
    parameter SI.Pressure p_set = 2e7 "Load pressure at which the valve begins to open without pilot";
    parameter Real ratio(min=0) = 4 "Pilot area over load area";
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e6 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure dp_open(min=0) = 5e5 "Change of the control pressure from closed to open";
    parameter SI.Pressure p_crack(min=0) = 1e4 "Opening pressure of the free flow";
    parameter SI.Time tau(min=0) = 1e-3 "Time constant of the spool";
    Interfaces.NodeQ pilot "Pilot port, without flow";
    Real x(start=0, fixed=true, min=0, max=1, unit="1") "Opening, 0..1";
    Interfaces.TurbulentFlow main(
      dc=noEvent(max(0, port_a.c - port_b.c)),
      Z=port_a.Zc + port_b.Zc,
      K=x*q_nom/sqrt(dp_nom)) "Lowers the load";
    Interfaces.TurbulentFlow check(
      dc=noEvent(max(0, port_b.c - port_a.c - p_crack)),
      Z=port_a.Zc + port_b.Zc,
      K=q_nom/sqrt(dp_nom)) "Lifts the load, free flow";
  equation
    // Only one of the two has a positive wave difference, so the flows do not interact.
    q = main.q - check.q;
    pilot.q = 0;
    pilot.p = pilot.c;
    tau*der(x) = noEvent(max(0, min(1,
      (port_a.p + ratio*pilot.p - (1 + ratio)*port_b.p - p_set)/dp_open))) - x;
  end OverCentreValve;
end Valves;
