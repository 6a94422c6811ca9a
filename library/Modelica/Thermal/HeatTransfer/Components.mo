within Modelica.Thermal.HeatTransfer;
package Components "Storage and transport of heat"
  import Modelica.Units.SI;

  model HeatCapacitor "Heat storage with uniform temperature"
    parameter SI.HeatCapacity C "Heat capacity";
    SI.Temperature T(start=293.15, displayUnit="degC") "Temperature";
    SI.TemperatureSlope der_T(start=0) "Rate of the temperature";
    Interfaces.HeatPort_a port "Heat port";
  equation
    port.T = T;
    der_T = der(T);
    port.Q_flow = C*der(T);
  end HeatCapacitor;

  model ThermalConductor "Heat conduction, given as conductance"
    extends Interfaces.Element1D;
    parameter SI.ThermalConductance G "Conductance";
  equation
    Q_flow = G*dT;
  end ThermalConductor;

  model ThermalResistor "Heat conduction, given as resistance"
    extends Interfaces.Element1D;
    parameter SI.ThermalResistance R "Resistance";
  equation
    R*Q_flow = dT;
  end ThermalResistor;

  model Convection "Heat transfer to a fluid, conductance from a signal"
    Modelica.Blocks.Interfaces.RealInput Gc(unit="W/K") "Conductance";
    Interfaces.HeatPort_a solid "Wall";
    Interfaces.HeatPort_b fluid "Fluid";
    SI.HeatFlowRate Q_flow "Heat flow from the wall to the fluid";
    SI.TemperatureDifference dT "Temperature drop from the wall to the fluid";
  equation
    dT = solid.T - fluid.T;
    Q_flow = Gc*dT;
    Q_flow = solid.Q_flow;
    solid.Q_flow + fluid.Q_flow = 0;
  end Convection;

  model ConvectiveResistor "Heat transfer to a fluid, resistance from a signal"
    Modelica.Blocks.Interfaces.RealInput Rc(unit="K/W") "Resistance";
    Interfaces.HeatPort_a solid "Wall";
    Interfaces.HeatPort_b fluid "Fluid";
    SI.HeatFlowRate Q_flow "Heat flow from the wall to the fluid";
    SI.TemperatureDifference dT "Temperature drop from the wall to the fluid";
  equation
    dT = solid.T - fluid.T;
    Rc*Q_flow = dT;
    Q_flow = solid.Q_flow;
    solid.Q_flow + fluid.Q_flow = 0;
  end ConvectiveResistor;

  model BodyRadiation "Heat radiation between two surfaces"
    extends Interfaces.Element1D;
    parameter Real Gr(unit="m2") "Area times exchange factor";
  equation
    Q_flow = Modelica.Constants.sigma*Gr*(port_a.T^4 - port_b.T^4);
  end BodyRadiation;

  model ThermalCollector "Joins m heat ports"
    parameter Integer m(min=1) = 3 "Number of ports";
    Interfaces.HeatPort_a port_a[m] "Ports to join";
    Interfaces.HeatPort_b port_b "Common port";
  equation
    for k in 1:m loop
      port_a[k].T = port_b.T;
    end for;
    sum(port_a.Q_flow) + port_b.Q_flow = 0;
  end ThermalCollector;

  model ThermalCollectorMatrix "Joins Ns times Np heat ports"
    parameter Integer Ns(min=1) "Rows";
    parameter Integer Np(min=1) "Columns";
    Interfaces.HeatPort_a port_a[Ns, Np] "Ports to join";
    Interfaces.HeatPort_b port_b "Common port";
  equation
    for i in 1:Ns, k in 1:Np loop
      port_a[i, k].T = port_b.T;
    end for;
    sum(port_a.Q_flow) + port_b.Q_flow = 0;
  end ThermalCollectorMatrix;

  model GeneralTemperatureToHeatFlowAdaptor "A heat port as signals: temperature in, heat flow out"
    extends Modelica.Blocks.Interfaces.Adaptors.PotentialToFlowAdaptor(final Name_p="T", final Name_pder="dT", final Name_pder2="d2T",
      final Name_f="Q", final Name_fder="der(Q)", final Name_fder2="der2(Q)", final use_pder2=false, final use_fder=false,
      final use_fder2=false, p(unit="K", displayUnit="degC"), pder(unit="K/s"), f(unit="W"));
    Interfaces.HeatPort_b heatPort "Heat port";
  equation
    y = heatPort.Q_flow;
    u = heatPort.T;
  end GeneralTemperatureToHeatFlowAdaptor;

  model GeneralHeatFlowToTemperatureAdaptor "A heat port as signals: heat flow in, temperature out"
    extends Modelica.Blocks.Interfaces.Adaptors.FlowToPotentialAdaptor(final Name_p="T", final Name_pder="dT", final Name_pder2="d2T",
      final Name_f="Q", final Name_fder="der(Q)", final Name_fder2="der2(Q)", final use_pder2=false, final use_fder=false,
      final use_fder2=false, p(unit="K", displayUnit="degC"), pder(unit="K/s"), f(unit="W"));
    Interfaces.HeatPort_a heatPort "Heat port";
  equation
    y = heatPort.T;
    u = heatPort.Q_flow;
  end GeneralHeatFlowToTemperatureAdaptor;
end Components;
