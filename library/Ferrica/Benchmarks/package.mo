within Ferrica;
package Benchmarks "Models with published or independently computed results"
  import Modelica.Units.SI;

  model RLC "Series resistor, then inductor and two capacitors in parallel"
    Modelica.Electrical.Analog.Sources.SineVoltage E1(V=100, f=5) "Source";
    Modelica.Electrical.Analog.Basic.Resistor R1(R=10);
    Modelica.Electrical.Analog.Basic.Inductor L1(L=0.1, i(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Capacitor C1(C=0.4, v(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Capacitor C2(C=0.2) "Depends on C1: one state of the two goes";
    Modelica.Electrical.Analog.Basic.Ground ground;
    SI.Voltage V3 = L1.p.v "Voltage of the parallel elements";
  equation
    connect(E1.n, ground.p);
    connect(E1.p, R1.p);
    connect(R1.n, L1.p);
    connect(R1.n, C1.p);
    connect(R1.n, C2.p);
    connect(L1.n, ground.p);
    connect(C1.n, ground.p);
    connect(C2.n, ground.p);
    annotation(experiment(StopTime=10, Interval=0.01));
  end RLC;

  model ScalableRLC "Ladder of N loops"
    parameter Integer N(min=1) = 2 "Number of loops";
    Modelica.Electrical.Analog.Sources.SineVoltage E1(V=100, f=5) "Source";
    Modelica.Electrical.Analog.Basic.Resistor R[N](each R=10);
    Modelica.Electrical.Analog.Basic.Inductor L[N](each L=0.1, each i(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Capacitor C[N](each C=0.1, each v(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Ground ground;
  equation
    connect(E1.n, ground.p);
    connect(E1.p, R[1].p);
    for k in 2:N loop
      connect(R[k - 1].n, R[k].p);
    end for;
    for k in 1:N loop
      connect(R[k].n, L[k].p);
      connect(L[k].n, C[k].p);
      connect(C[k].n, ground.p);
    end for;
    annotation(experiment(StopTime=1, Interval=0.01));
  end ScalableRLC;

  model ShockleyDiode "Exponential junction with a series resistor"
    extends Modelica.Electrical.Analog.Interfaces.OnePort;
    parameter SI.Current Is = 1e-15 "Saturation current";
    parameter Real ideality = 1.5 "Ideality factor";
    parameter SI.Temperature T = 300 "Temperature";
    parameter SI.Resistance Rs = 1e-3 "Series resistance";
    SI.Voltage vd(start=0) "Voltage of the junction";
  protected
    constant SI.ElectricCharge q = 1.602176634e-19 "Charge of an electron";
    constant Real k(unit="J/K") = 1.380649e-23 "Boltzmann constant";
    parameter SI.Voltage Vt = ideality*k*T/q "Thermal voltage times ideality factor";
  equation
    i = Is*(exp(vd/Vt) - 1);
    v = vd + Rs*i;
  end ShockleyDiode;

  model Rectifier "Bridge of four Shockley diodes with an inductive load"
    Modelica.Electrical.Analog.Sources.SineVoltage E1(V=100, f=5) "Source";
    ShockleyDiode D1 "Source + to load +";
    ShockleyDiode D2 "Source - to load +";
    ShockleyDiode D3 "Load - to source +";
    ShockleyDiode D4 "Load - to source -";
    Modelica.Electrical.Analog.Basic.Resistor R1(R=10);
    Modelica.Electrical.Analog.Basic.Inductor L1(L=0.1, i(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Ground ground;
  equation
    connect(E1.n, ground.p);
    connect(E1.p, D1.p);
    connect(E1.n, D2.p);
    connect(D1.n, R1.p);
    connect(D2.n, R1.p);
    connect(R1.n, L1.p);
    connect(L1.n, D3.p);
    connect(L1.n, D4.p);
    connect(D3.n, E1.p);
    connect(D4.n, E1.n);
    annotation(experiment(StopTime=1, Interval=0.001));
  end Rectifier;

  model MotorThermal "Thermal network of a permanent-magnet motor"
    parameter SI.ThermalResistance R_airgap = 0.215312484 "Air gap between rotor and stator";
    model Store = Modelica.Thermal.HeatTransfer.Components.HeatCapacitor(T(start=300, fixed=true)) "Heat storage";
    model Path = Modelica.Thermal.HeatTransfer.Components.ThermalResistor "Heat path";
    model Loss = Modelica.Thermal.HeatTransfer.Sources.FixedHeatFlow "Heat source";
    Modelica.Thermal.HeatTransfer.Sources.FixedTemperature environment(T=300);
    Modelica.Thermal.HeatTransfer.Sources.FixedTemperature water(T=320);
    Store axis(C=2000);
    Store rotor(C=5000) "Magnets";
    Store copper(C=2000);
    Store stator(C=1500);
    Store housing(C=3000);
    Store plate1(C=300);
    Store plate2(C=300);
    Store bearing1(C=500);
    Store bearing2(C=500);
    Path axis1(R=1);
    Path axis2(R=1);
    Path innerRotor(R=0.025);
    Path outerRotor(R=0.015);
    replaceable Path airgap(R=R_airgap) constrainedby Modelica.Thermal.HeatTransfer.Interfaces.Element1D "Between rotor and stator";
    Path tooth1(R=0.025);
    Path tang(R=0.01);
    Path tooth2(R=0.01);
    Path wire(R=0.05);
    Path winding(R=0.001);
    Path yoke(R=0.0025);
    Path housing1(R=0.25);
    Path housing2(R=0.25);
    Path cooling(R=0.001);
    Path plateAir1(R=0.5);
    Path plateAir2(R=0.5);
    Path bearingPlate1(R=3);
    Path bearingPlate2(R=3);
    Loss Q_rotor(Q_flow=150);
    Loss Q_copper(Q_flow=2000);
    Loss Q_tooth(Q_flow=200);
    Loss Q_bearing1(Q_flow=50);
    Loss Q_bearing2(Q_flow=50);
    SI.Temperature T2 = rotor.T "Temperature of the magnets";
    SI.HeatFlowRate Q_water = cooling.Q_flow "Heat into the water";
  equation
    connect(axis.port, axis1.port_a);
    connect(axis1.port_b, bearing1.port);
    connect(axis.port, axis2.port_a);
    connect(axis2.port_b, bearing2.port);
    connect(axis.port, innerRotor.port_a);
    connect(innerRotor.port_b, rotor.port);
    connect(rotor.port, outerRotor.port_a);
    connect(outerRotor.port_b, airgap.port_a);
    connect(airgap.port_b, tooth1.port_a);
    connect(tooth1.port_b, tang.port_a);
    connect(tang.port_b, stator.port);
    connect(stator.port, tooth2.port_a);
    connect(tooth2.port_b, wire.port_a);
    connect(wire.port_b, winding.port_a);
    connect(winding.port_b, copper.port);
    connect(stator.port, yoke.port_a);
    connect(yoke.port_b, housing.port);
    connect(housing.port, housing1.port_a);
    connect(housing1.port_b, plate1.port);
    connect(housing.port, housing2.port_a);
    connect(housing2.port_b, plate2.port);
    connect(housing.port, cooling.port_a);
    connect(cooling.port_b, water.port);
    connect(plate1.port, plateAir1.port_a);
    connect(plateAir1.port_b, environment.port);
    connect(plate2.port, plateAir2.port_a);
    connect(plateAir2.port_b, environment.port);
    connect(bearing1.port, bearingPlate1.port_a);
    connect(bearingPlate1.port_b, plate1.port);
    connect(bearing2.port, bearingPlate2.port_a);
    connect(bearingPlate2.port_b, plate2.port);
    connect(Q_rotor.port, rotor.port);
    connect(Q_copper.port, copper.port);
    connect(Q_tooth.port, tang.port_a);
    connect(Q_bearing1.port, bearing1.port);
    connect(Q_bearing2.port, bearing2.port);
    annotation(experiment(StopTime=5000, Interval=1));
  end MotorThermal;

  model AirGap "Heat path through the air between rotor and stator, by its temperature"
    extends Modelica.Thermal.HeatTransfer.Interfaces.Element1D;
    parameter SI.AngularVelocity w = 1570 "Speed of the rotor";
    parameter SI.Length e = 0.82e-3 "Thickness of the gap";
    parameter SI.Length R_m = 72.61e-3 "Mean radius of the gap";
    parameter SI.Length stack = 0.074246 "Length of the gap";
    parameter SI.Pressure p = 101325 "Pressure of the air";
    final parameter Real x = (e/R_m)/(1 - e/(2*R_m));
    final parameter Real P = 0.0571*(1 - 0.625*x) + 0.00056/(1 - 0.625*x);
    final parameter Real F_g = Modelica.Constants.pi^4/P/(1697*(1 - e/(2*R_m))^2) "Of the geometry";
    SI.Temperature T "Of the air: the mean of both sides";
    SI.ThermalConductivity k_a "Of the air";
    SI.DynamicViscosity mu "Of the air, by Sutherland";
    Real nu(unit="m2/s") "Kinematic viscosity";
    Real Ta_m "Modified Taylor number";
    Real Nu "Nusselt number";
    SI.ThermalResistance R "Of the gap";
  equation
    T = (port_a.T + port_b.T)/2;
    k_a = 2.64638e-3*(T/1)^1.5/(T + 245.4*10^(-12/T));
    mu = 1.458e-6*T^1.5/(T + 110.4);
    nu = mu*287.05*T/p;
    Ta_m = w^2*R_m*e^3/nu^2/F_g;
    Nu = if Ta_m < 1700 then 2 elseif Ta_m < 1e4 then 0.128*Ta_m^0.367 else 0.409*Ta_m^0.241;
    R = 2*e/(Nu*k_a*2*Modelica.Constants.pi*R_m*stack);
    R*Q_flow = dT;
  end AirGap;

  model MotorThermalAir "The same with an air gap whose resistance depends on its temperature"
    extends MotorThermal(redeclare AirGap airgap);
    annotation(experiment(StopTime=5000, Interval=1));
  end MotorThermalAir;

  model HalfWave "Half-wave rectifier with smoothing capacitor"
    Modelica.Electrical.Analog.Sources.SineVoltage source(V=10, f=50);
    Modelica.Electrical.Analog.Basic.Resistor R1(R=1);
    Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-5, Goff=1e-5, Vknee=0.7);
    Modelica.Electrical.Analog.Basic.Capacitor C1(C=1e-3, v(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Resistor load(R=100);
    Modelica.Electrical.Analog.Basic.Ground ground;
  equation
    connect(source.n, ground.p);
    connect(source.p, R1.p);
    connect(R1.n, diode.p);
    connect(diode.n, C1.p);
    connect(diode.n, load.p);
    connect(C1.n, ground.p);
    connect(load.n, ground.p);
    annotation(experiment(StopTime=1, Interval=1e-4));
  end HalfWave;

  model Buck "Switching converter from 24 V, half the time on"
    Modelica.Electrical.Analog.Sources.ConstantVoltage supply(V=24);
    Modelica.Electrical.Analog.Ideal.IdealClosingSwitch switch(Ron=1e-5, Goff=1e-5);
    Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-5, Goff=1e-5, Vknee=0);
    Modelica.Electrical.Analog.Basic.Inductor L1(L=1e-4, i(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Capacitor C1(C=1e-4, v(start=0, fixed=true));
    Modelica.Electrical.Analog.Basic.Resistor load(R=10);
    Modelica.Electrical.Analog.Basic.Ground ground;
    Modelica.Blocks.Sources.BooleanPulse gate(period=1e-4, width=50);
  equation
    connect(gate.y, switch.control);
    connect(supply.n, ground.p);
    connect(supply.p, switch.p);
    connect(switch.n, L1.p);
    connect(diode.n, L1.p);
    connect(diode.p, ground.p);
    connect(L1.n, C1.p);
    connect(L1.n, load.p);
    connect(C1.n, ground.p);
    connect(load.n, ground.p);
    annotation(experiment(StopTime=0.01, Interval=1e-6));
  end Buck;

  model InverterChain "Chain of logical inverters (B1)"
    parameter Integer N(min=1) = 501 "Number of inverters";
    parameter Real UOP = 5 "Supply";
    parameter Real G = 100 "Gain";
    parameter Real UTH = 1 "Threshold";
    Real x[N + 1](start=cat(1, {0}, {if mod(j, 2) == 0 then 5 else 0.006247 for j in 2:N + 1}), each fixed=true)
      "Voltages; x[1] is the input";
    Real u "Slope of the input";
    Boolean s[N] "Transistor on";
    Boolean r[N] "Transistor not saturated";
  equation
    u = if time > 17 then 0 elseif time > 15 then -2.5 elseif time > 10 then 0 elseif time > 5 then 1 else 0;
    der(x[1]) = u;
    for i in 1:N loop
      s[i] = x[i] > UTH;
      r[i] = x[i] - x[i + 1] > UTH;
      der(x[i + 1]) = UOP - x[i + 1]
        - G*((if s[i] then (x[i] - UTH)^2 else 0) - (if r[i] then (x[i] - x[i + 1] - UTH)^2 else 0));
    end for;
    annotation(experiment(StopTime=200, Tolerance=1e-3));
  end InverterChain;

  model AdvectionReaction "Advection, diffusion and reaction on a line (B2)"
    parameter Integer N(min=5) = 1000 "Number of cells";
    parameter Real a = 1 "Velocity";
    parameter Real d = 1e-3 "Diffusion";
    parameter Real r = 1000 "Reaction";
    parameter Real dx = 10/N "Width of a cell";
    Real u[N](start={if i <= div(N, 5) then 1 else 0 for i in 1:N}, each fixed=true) "Concentration";
  equation
    der(u[1]) = -a*(u[1] - 1)/dx + d*(u[2] - 2*u[1] + 1)/dx^2 + r*u[1]^2*(1 - u[1]);
    for i in 2:N - 1 loop
      der(u[i]) = -a*(u[i] - u[i - 1])/dx + d*(u[i + 1] - 2*u[i] + u[i - 1])/dx^2 + r*u[i]^2*(1 - u[i]);
    end for;
    der(u[N]) = -a*(u[N] - u[N - 1])/dx + d*(2*u[N - 1] - 2*u[N])/dx^2 + r*u[N]^2*(1 - u[N]);
    annotation(experiment(StopTime=10, Tolerance=1e-3));
  end AdvectionReaction;

  model InterleavedConverter "N buck stages that share a capacitor (B3)"
    parameter Integer N(min=1) = 4 "Number of stages";
    parameter Real C = 1e-4 "Capacitance";
    parameter Real L = 1e-4 "Inductance of a stage";
    parameter Real R = 10 "Load";
    parameter Real U = 24 "Supply";
    parameter Real P = 1e-4 "Period";
    parameter Real DC = 0.5 "Duty cycle, of the N-th part of the period";
    parameter Real Ron = 1e-5 "Resistance of a closed switch";
    parameter Real Roff = 1e5 "Resistance of an open switch";
    Real uC(start=0, fixed=true) "Output voltage";
    Real iL[N](each start=0, each fixed=true) "Currents of the inductors";
    discrete Real Rs[N](each start=1e5, each fixed=true) "Switches";
    discrete Real Rd[N](each start=1e5, each fixed=true) "Diodes";
    discrete Real nextT(start=1e-8, fixed=true) "Begin of the next period";
    discrete Real last(start=0, fixed=true) "Begin of this period";
  equation
    C*der(uC) = sum(iL) - uC/R;
    for i in 1:N loop
      L*der(iL[i]) = (U/Rs[i] - iL[i])*Rs[i]*Rd[i]/(Rs[i] + Rd[i]) - uC;
    end for;
    when time >= pre(nextT) then
      last = pre(nextT);
      nextT = pre(nextT) + P;
    end when;
    for i in 1:N loop
      when time >= last + P*(i - 1)/N + 0.01*P then
        Rs[i] = Ron;
        Rd[i] = Roff;
      elsewhen time >= last + P*(i - 1)/N + DC*P/N + 0.01*P then
        Rs[i] = Roff;
        Rd[i] = Ron;
      elsewhen iL[i] < 0 then
        Rs[i] = pre(Rs[i]);
        Rd[i] = Roff;
      end when;
    end for;
    annotation(experiment(StopTime=0.01, Tolerance=1e-6));
  end InterleavedConverter;

  model LCLine "Pulse on a chain of inductors and capacitors (B4)"
    parameter Integer N(min=3) = 200 "Number of storages";
    Real x[N](each start=0, each fixed=true) "Voltages and currents in turn";
    Real d "Pulse";
  equation
    d = if time < 1 then 1 else 0;
    der(x[1]) = d - x[2];
    for i in 2:N - 1 loop
      der(x[i]) = x[i - 1] - x[i + 1];
    end for;
    der(x[N]) = x[N - 1];
    annotation(experiment(StopTime=200, Tolerance=1e-3));
  end LCLine;

  model HydraulicNetwork "Chain of N cells of orifice and volume, with wave ports"
    parameter Integer N(min=2) = 100 "Number of cells";
    parameter SI.Time T = 1e-4 "Travelling time of each volume; the largest step";
    parameter SI.Volume V[N] = fill(1e-3, N) "Volumes";
    parameter SI.Area A[N + 1] = {1e-5*(1 + 0.5*sin(i)) for i in 1:N + 1} "Areas of the orifices";
    Ferrica.Hydraulics.TLM.Sources.PressureSource supply(p=1e7);
    Ferrica.Hydraulics.TLM.Sources.Tank tank;
    Ferrica.Hydraulics.TLM.Restrictions.TurbulentOrifice orifice[N + 1](A=A);
    Ferrica.Hydraulics.TLM.Volumes.Volume volume[N](V=V, each T=T);
  equation
    connect(orifice[1].port_a, supply.port);
    for i in 1:N loop
      connect(orifice[i].port_b, volume[i].port_a);
      connect(orifice[i + 1].port_a, volume[i].port_b);
    end for;
    connect(orifice[N + 1].port_b, tank.port);
    annotation(experiment(StopTime=1, Interval=0.01));
  end HydraulicNetwork;

  model HydraulicNetworkRelief "The same chain with a relief valve at every volume"
    parameter Integer N(min=2) = 100 "Number of cells";
    parameter SI.Time T = 1e-4 "Travelling time of each volume; the largest step";
    parameter SI.Volume V[N] = fill(1e-3, N) "Volumes";
    parameter SI.Area A[N + 1] = {1e-5*(1 + 0.5*sin(i)) for i in 1:N + 1} "Areas of the orifices";
    Ferrica.Hydraulics.TLM.Sources.PressureSource supply(p=1e7);
    Ferrica.Hydraulics.TLM.Sources.Tank tank[N + 1];
    Ferrica.Hydraulics.TLM.Restrictions.TurbulentOrifice orifice[N + 1](A=A);
    Ferrica.Hydraulics.TLM.Volumes.MultiVolume volume[N](each n=3, V=V, each T=T);
    Ferrica.Hydraulics.TLM.Valves.ReliefValve relief[N](each p_set=5e6, each q_nom=1e-5);
  equation
    connect(orifice[1].port_a, supply.port);
    for i in 1:N loop
      connect(orifice[i].port_b, volume[i].port[1]);
      connect(orifice[i + 1].port_a, volume[i].port[2]);
      connect(relief[i].port_a, volume[i].port[3]);
      connect(relief[i].port_b, tank[i].port);
    end for;
    connect(orifice[N + 1].port_b, tank[N + 1].port);
    annotation(experiment(StopTime=1, Interval=0.01));
  end HydraulicNetworkRelief;

  model HydraulicNetworkODE "The chain of orifices and volumes with acausal ports, as one system"
    parameter Integer N(min=2) = 100 "Number of cells";
    parameter SI.Volume V[N] = fill(1e-3, N) "Volumes";
    parameter SI.Area A[N + 1] = {1e-5*(1 + 0.5*sin(i)) for i in 1:N + 1} "Areas of the orifices";
    Ferrica.Hydraulics.Sources.PressureSource supply(p=1e7);
    Ferrica.Hydraulics.Sources.Tank tank;
    Ferrica.Hydraulics.Restrictions.TurbulentOrifice orifice[N + 1](A=A);
    Ferrica.Hydraulics.Volumes.Volume volume[N](V=V, each p(fixed=true));
  equation
    connect(orifice[1].port_a, supply.port);
    for i in 1:N loop
      connect(orifice[i].port_b, volume[i].port);
      connect(orifice[i + 1].port_a, volume[i].port);
    end for;
    connect(orifice[N + 1].port_b, tank.port);
    annotation(experiment(StopTime=1, Interval=0.01));
  end HydraulicNetworkODE;

  model HydraulicNetworkReliefODE "The chain with relief valves and acausal ports, as one system"
    parameter Integer N(min=2) = 100 "Number of cells";
    parameter SI.Volume V[N] = fill(1e-3, N) "Volumes";
    parameter SI.Area A[N + 1] = {1e-5*(1 + 0.5*sin(i)) for i in 1:N + 1} "Areas of the orifices";
    Ferrica.Hydraulics.Sources.PressureSource supply(p=1e7);
    Ferrica.Hydraulics.Sources.Tank tank;
    Ferrica.Hydraulics.Restrictions.TurbulentOrifice orifice[N + 1](A=A);
    Ferrica.Hydraulics.Volumes.Volume volume[N](V=V, each p(fixed=true));
    Ferrica.Hydraulics.Valves.ReliefValve relief[N](each p_set=5e6, each q_nom=1e-5);
  equation
    connect(orifice[1].port_a, supply.port);
    for i in 1:N loop
      connect(orifice[i].port_b, volume[i].port);
      connect(orifice[i + 1].port_a, volume[i].port);
      connect(relief[i].port_a, volume[i].port);
      connect(relief[i].port_b, tank.port);
    end for;
    connect(orifice[N + 1].port_b, tank.port);
    annotation(experiment(StopTime=1, Interval=0.01));
  end HydraulicNetworkReliefODE;
end Benchmarks;
