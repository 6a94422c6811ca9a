within Modelica.Thermal.HeatTransfer;
package Sources "Prescribed temperatures and heat flows"
  import Modelica.Units.SI;

  model FixedTemperature "Constant temperature"
    parameter SI.Temperature T "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = T;
  end FixedTemperature;

  model PrescribedTemperature "Temperature from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="K") "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = T;
  end PrescribedTemperature;

  model FixedHeatFlow "Constant heat flow, optionally linear in temperature"
    parameter SI.HeatFlowRate Q_flow "Heat flow out of the port at T_ref";
    parameter SI.Temperature T_ref = 293.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.Q_flow = -Q_flow*(1 + alpha*(port.T - T_ref));
  end FixedHeatFlow;

  model PrescribedHeatFlow "Heat flow from a signal, optionally linear in temperature"
    parameter SI.Temperature T_ref = 293.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient";
    Modelica.Blocks.Interfaces.RealInput Q_flow(unit="W") "Heat flow out of the port at T_ref";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.Q_flow = -Q_flow*(1 + alpha*(port.T - T_ref));
  end PrescribedHeatFlow;
end Sources;
