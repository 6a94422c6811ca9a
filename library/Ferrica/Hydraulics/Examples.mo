within Ferrica.Hydraulics;
package Examples "Small models that run"

  model CylinderDrive "A proportional valve moves a cylinder with a load"
    Sources.PressureSource supply(p=1e7);
    Sources.Tank tank;
    Valves.Proportional43 valve(q_nom=1e-3, dp_nom=3.5e6);
    Cylinders.DoubleActingCylinder cylinder(A_A=2e-3, A_B=1e-3, stroke=0.5, x_start=0.1, x(fixed=true), d=500,
      p_A(fixed=true, start=2e6), p_B(fixed=true, start=4e6));
    Modelica.Mechanics.Translational.Components.Mass load(m=200, v(fixed=true));
    Modelica.Blocks.Sources.Pulse command(amplitude=0.6, offset=-0.3, period=1, width=50);
  equation
    connect(supply.port, valve.port_P);
    connect(valve.port_T, tank.port);
    connect(valve.port_A, cylinder.port_A);
    connect(valve.port_B, cylinder.port_B);
    connect(cylinder.flange, load.flange_a);
    connect(command.y, valve.u);
    annotation(experiment(StopTime=2));
  end CylinderDrive;

  model CylinderDriveTLM "The same drive with wave ports"
    TLM.Sources.PressureSource supply(p=1e7);
    TLM.Sources.Tank tank;
    TLM.Valves.Proportional43 valve(q_nom=1e-3, dp_nom=3.5e6);
    TLM.Cylinders.DoubleActingCylinder cylinder(A_A=2e-3, A_B=1e-3, stroke=0.5, x_start=0.1, d=500, T=1e-4,
      p_A_start=2e6, p_B_start=4e6);
    TLM.Mechanics.Mass load(m=200);
    TLM.Mechanics.FreeEnd free;
    Modelica.Blocks.Sources.Pulse command(amplitude=0.6, offset=-0.3, period=1, width=50);
  equation
    connect(valve.port_P, supply.port);
    connect(valve.port_T, tank.port);
    connect(valve.port_A, cylinder.port_A);
    connect(valve.port_B, cylinder.port_B);
    connect(load.port_a, cylinder.rod);
    connect(load.port_b, free.port);
    connect(command.y, valve.u);
    annotation(experiment(StopTime=2, Interval=1e-3));
  end CylinderDriveTLM;

  model PumpSupply "A pump feeds an orifice; a relief valve limits the pressure"
    Modelica.Mechanics.Rotational.Sources.ConstantSpeed motor(w_fixed=157);
    Machines.FixedPump pump(D=3e-6, G_leak=1e-12);
    Sources.Tank tank;
    Volumes.Volume line(V=1e-3, p(fixed=true));
    Valves.ReliefValve relief(p_set=1e7, q_nom=1e-3);
    Restrictions.TurbulentOrifice load(A=2e-6);
  equation
    connect(motor.flange, pump.flange);
    connect(tank.port, pump.port_a);
    connect(pump.port_b, line.port);
    connect(line.port, relief.port_a);
    connect(relief.port_b, tank.port);
    connect(line.port, load.port_a);
    connect(load.port_b, tank.port);
    annotation(experiment(StopTime=0.5));
  end PumpSupply;
end Examples;
