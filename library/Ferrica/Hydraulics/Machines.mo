within Ferrica.Hydraulics;
package Machines "Pumps and motors"
  import Modelica.Units.SI;

  partial model PartialMachine "Displacement machine: shaft and two ports"
    // D is the displacement per radian: an ideal machine has q = D w and tau = D dp.
    parameter Real D(unit="m3/rad", min=0) = 1e-6 "Displacement per radian at full setting";
    parameter Real G_leak(unit="m3/(s.Pa)", min=0) = 0 "Internal leakage";
    parameter Real d(unit="N.m.s/rad", min=0) = 0 "Viscous friction";
    Interfaces.Port port_a "Inlet";
    Interfaces.Port port_b "Outlet";
    Modelica.Mechanics.Rotational.Interfaces.Flange_a flange "Shaft";
    SI.AngularVelocity w "Speed of the shaft";
    SI.VolumeFlowRate q "Flow from port_a to port_b";
    SI.Pressure dp "Pressure rise from port_a to port_b";
    Real setting(unit="1") "Displacement over full displacement";
  equation
    w = der(flange.phi);
    dp = port_b.p - port_a.p;
    q = setting*D*w - G_leak*dp;
    q = port_a.q;
    port_a.q + port_b.q = 0;
    flange.tau = setting*D*dp + d*w;
  end PartialMachine;

  model FixedPump "Pump with constant displacement"
    extends PartialMachine;
  equation
    setting = 1;
  end FixedPump;

  model VariablePump "Pump with displacement from a signal"
    extends PartialMachine;
    Modelica.Blocks.Interfaces.RealInput u "Setting -1..1";
  equation
    setting = noEvent(max(-1, min(1, u)));
  end VariablePump;

  model FixedMotor "Motor with constant displacement: pressure at port_a drives the shaft forward"
    extends PartialMachine;
  equation
    setting = 1;
  end FixedMotor;

  model VariableMotor "Motor with displacement from a signal"
    extends PartialMachine;
    Modelica.Blocks.Interfaces.RealInput u "Setting -1..1";
  equation
    setting = noEvent(max(-1, min(1, u)));
  end VariableMotor;

  model PressureControlledPump "Pump at constant speed that lowers its displacement at a set pressure"
    parameter SI.VolumeFlowRate q_max(min=0) = 1e-3 "Flow at full displacement";
    parameter SI.Pressure p_set = 2e7 "Pressure at which the displacement is zero";
    parameter SI.Pressure dp_control(min=0) = 1e6 "Pressure range over which the displacement falls";
    parameter SI.Time tau(min=0) = 0.02 "Time constant of the controller";
    parameter Real G_leak(unit="m3/(s.Pa)", min=0) = 0 "Internal leakage";
    Interfaces.Port port_a "Inlet";
    Interfaces.Port port_b "Outlet";
    Real setting(start=1, fixed=true, unit="1") "Displacement over full displacement";
  equation
    tau*der(setting) = noEvent(max(0, min(1, (p_set - port_b.p)/dp_control))) - setting;
    port_b.q = -(setting*q_max - G_leak*(port_b.p - port_a.p));
    port_a.q + port_b.q = 0;
  end PressureControlledPump;
end Machines;
