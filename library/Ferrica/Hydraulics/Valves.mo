within Ferrica.Hydraulics;
package Valves "Directional, proportional and pressure valves"
  import Modelica.Units.SI;

  model Edge "Metering edge of a spool"
    extends Interfaces.Restriction;
    parameter Real K_nom(unit="m3/(s.Pa0.5)", min=0) "Flow coefficient when open";
    parameter Real leakage(min=0) = 1e-5 "Flow coefficient when closed over K_nom";
    Modelica.Blocks.Interfaces.RealInput opening "Opening, closed at or below 0, open at 1";
  equation
    K = K_nom*noEvent(max(leakage, min(1, opening)));
  end Edge;

  partial model Body22 "2/2 valve: P to A"
    extends Interfaces.SpoolEdges;
    Interfaces.Port port_P "Inlet";
    Interfaces.Port port_A "Outlet";
    Edge PA(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "P to A";
  equation
    connect(port_P, PA.port_a);
    connect(PA.port_b, port_A);
  end Body22;

  partial model Body33 "3/3 valve: P to A at +1, closed at 0, A to T at -1"
    extends Interfaces.SpoolEdges;
    Interfaces.Port port_P "Supply";
    Interfaces.Port port_A "Working port";
    Interfaces.Port port_T "Tank";
    Edge PA(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "P to A";
    Edge AT(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "A to T";
  equation
    connect(port_P, PA.port_a);
    connect(PA.port_b, port_A);
    connect(port_A, AT.port_a);
    connect(AT.port_b, port_T);
  end Body33;

  partial model Body4 "Valve with four ports and four edges"
    extends Interfaces.SpoolEdges;
    Interfaces.Port port_P "Supply";
    Interfaces.Port port_A "First working port";
    Interfaces.Port port_B "Second working port";
    Interfaces.Port port_T "Tank";
    Edge PA(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "P to A";
    Edge PB(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "P to B";
    Edge AT(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "A to T";
    Edge BT(final K_nom=K_nom, final leakage=leakage, final dp_lam=dp_lam) "B to T";
  equation
    connect(port_P, PA.port_a);
    connect(PA.port_b, port_A);
    connect(port_P, PB.port_a);
    connect(PB.port_b, port_B);
    connect(port_A, AT.port_a);
    connect(AT.port_b, port_T);
    connect(port_B, BT.port_a);
    connect(BT.port_b, port_T);
  end Body4;

  model Directional22 "2/2 directional valve"
    extends Body22;
    extends Interfaces.SwitchedSpool;
    Modelica.Blocks.Interfaces.BooleanInput open "true: open";
  equation
    x_command = if open then 1 else 0;
    PA.opening = (x - overlap)/(1 - overlap);
  end Directional22;

  model Directional33 "3/3 directional valve"
    extends Body33;
    extends Interfaces.SwitchedSpool;
    Modelica.Blocks.Interfaces.IntegerInput position "+1: P to A, 0: closed, -1: A to T";
  equation
    x_command = position;
    PA.opening = (x - overlap)/(1 - overlap);
    AT.opening = (-x - overlap)/(1 - overlap);
  end Directional33;

  model Directional42 "4/2 directional valve"
    extends Body4;
    extends Interfaces.SwitchedSpool(x(start=-1));
    Modelica.Blocks.Interfaces.BooleanInput cross "false: P to A and B to T, true: P to B and A to T";
  equation
    // Position -1 is the rest position; in the middle all edges are closed.
    x_command = if cross then 1 else -1;
    PA.opening = (-x - overlap)/(1 - overlap);
    BT.opening = PA.opening;
    PB.opening = (x - overlap)/(1 - overlap);
    AT.opening = PB.opening;
  end Directional42;

  model Directional43 "4/3 directional valve, closed in the middle"
    extends Body4;
    extends Interfaces.SwitchedSpool;
    Modelica.Blocks.Interfaces.IntegerInput position "+1: P to A and B to T, 0: closed, -1: P to B and A to T";
  equation
    x_command = position;
    PA.opening = (x - overlap)/(1 - overlap);
    BT.opening = PA.opening;
    PB.opening = (-x - overlap)/(1 - overlap);
    AT.opening = PB.opening;
  end Directional43;

  model Proportional22 "2/2 proportional valve"
    extends Body22;
    extends Interfaces.ProportionalSpool;
  equation
    PA.opening = (x - overlap)/(1 - overlap);
  end Proportional22;

  model Proportional33 "3/3 proportional valve"
    extends Body33;
    extends Interfaces.ProportionalSpool;
  equation
    PA.opening = (x - overlap)/(1 - overlap);
    AT.opening = (-x - overlap)/(1 - overlap);
  end Proportional33;

  model Proportional42 "4/2 proportional valve: one solenoid, P to A and B to T when commanded"
    extends Body4;
    extends Interfaces.ProportionalSpool;
  equation
    PA.opening = (x - overlap)/(1 - overlap);
    BT.opening = PA.opening;
    PB.opening = 0;
    AT.opening = 0;
  end Proportional42;

  model Proportional43 "4/3 proportional valve, closed in the middle"
    extends Body4;
    extends Interfaces.ProportionalSpool;
  equation
    PA.opening = (x - overlap)/(1 - overlap);
    BT.opening = PA.opening;
    PB.opening = (-x - overlap)/(1 - overlap);
    AT.opening = PB.opening;
  end Proportional43;

  model ReliefValve "Opens when the inlet exceeds the set pressure"
    extends Interfaces.ControlledRestriction;
    parameter SI.Pressure p_set = 1e7 "Inlet pressure (above the outlet) at which the valve begins to open";
  equation
    p_control = dp - p_set;
  end ReliefValve;

  model ReducingValve "Closes when the outlet exceeds the set pressure"
    extends Interfaces.ControlledRestriction(x(start=1));
    parameter SI.Pressure p_set = 5e6 "Outlet pressure at which the valve is closed";
  equation
    p_control = p_set - port_b.p;
  end ReducingValve;

  model Compensator "Keeps the pressure difference of two pilot ports, for example over a metering edge"
    extends Interfaces.ControlledRestriction(x(start=1));
    parameter SI.Pressure dp_set = 1e6 "Pressure difference pilot_a - pilot_b at which the valve is closed";
    Interfaces.Port pilot_a "Upstream of the metering edge, without flow";
    Interfaces.Port pilot_b "Downstream of the metering edge, without flow";
  equation
    pilot_a.q = 0;
    pilot_b.q = 0;
    p_control = dp_set - (pilot_a.p - pilot_b.p);
  end Compensator;

  model PilotedEdge "Edge opened by load and pilot pressure, part of the over-centre valve"
    extends Interfaces.ControlledRestriction;
    parameter SI.Pressure p_set = 2e7 "Load pressure at which the edge begins to open without pilot";
    parameter Real ratio(min=0) = 4 "Pilot area over load area";
    Interfaces.Port pilot "Pilot port, without flow";
  equation
    pilot.q = 0;
    p_control = port_a.p + ratio*pilot.p - (1 + ratio)*port_b.p - p_set;
  end PilotedEdge;

  model OverCentreValve "Load-holding valve: opened by load and pilot pressure, free flow back"
    parameter SI.Pressure p_set = 2e7 "Load pressure at which the valve begins to open without pilot";
    parameter Real ratio(min=0) = 4 "Pilot area over load area";
    parameter SI.VolumeFlowRate q_nom(min=0) = 1e-3 "Flow of the open valve at dp_nom";
    parameter SI.Pressure dp_nom(min=0) = 1e6 "Pressure drop at which q_nom was measured";
    parameter SI.Pressure dp_open(min=0) = 5e5 "Change of the control pressure from closed to open";
    parameter SI.Time tau(min=0) = 1e-3 "Time constant of the spool";
    Interfaces.Port port_a "Load side";
    Interfaces.Port port_b "Valve side";
    Interfaces.Port pilot "Pilot port, without flow";
    PilotedEdge main(final p_set=p_set, final ratio=ratio, final q_nom=q_nom, final dp_nom=dp_nom,
      final dp_open=dp_open, final tau=tau) "Lowers the load";
    Restrictions.CheckValve check(final q_nom=q_nom, final dp_nom=dp_nom) "Lifts the load, free flow";
  equation
    connect(port_a, main.port_a);
    connect(main.port_b, port_b);
    connect(pilot, main.pilot);
    connect(port_b, check.port_a);
    connect(check.port_b, port_a);
  end OverCentreValve;
end Valves;
