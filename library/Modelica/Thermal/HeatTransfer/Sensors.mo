within Modelica.Thermal.HeatTransfer;
package Sensors "Ideal sensors"

  model TemperatureSensor "Temperature"
    Modelica.Blocks.Interfaces.RealOutput T(unit="K") "Temperature";
    Interfaces.HeatPort_a port "Heat port";
  equation
    T = port.T;
    port.Q_flow = 0;
  end TemperatureSensor;

  model RelTemperatureSensor "Temperature difference"
    Interfaces.HeatPort_a port_a "First side";
    Interfaces.HeatPort_b port_b "Second side";
    Modelica.Blocks.Interfaces.RealOutput T_rel(unit="K", displayUnit="K") "port_a.T - port_b.T";
  equation
    T_rel = port_a.T - port_b.T;
    port_a.Q_flow = 0;
    port_b.Q_flow = 0;
  end RelTemperatureSensor;

  model HeatFlowSensor "Heat flow"
    Modelica.Blocks.Interfaces.RealOutput Q_flow(unit="W") "Heat flow from port_a to port_b";
    Interfaces.HeatPort_a port_a "First side";
    Interfaces.HeatPort_b port_b "Second side";
  equation
    port_b.T = port_a.T;
    Q_flow = port_a.Q_flow;
    port_a.Q_flow + port_b.Q_flow = 0;
  end HeatFlowSensor;

  model ConditionalFixedHeatFlowSensor "Heat flow, with an optional fixed temperature behind it"
    parameter Boolean useFixedTemperature(start=false) "true: 293.15 K at port_a" annotation(Evaluate=true);
    Interfaces.HeatPort_a port_a "First side";
    Interfaces.HeatPort_b port_b "Second side";
    Modelica.Blocks.Interfaces.RealOutput Q_flow(unit="W") "Heat flow from port_a to port_b";
    HeatFlowSensor heatFlowSensor "Sensor";
    Modelica.Thermal.HeatTransfer.Sources.FixedTemperature fixedTemperature(final T=293.15) if useFixedTemperature
      "Fixed temperature";
  equation
    connect(port_a, heatFlowSensor.port_a);
    connect(heatFlowSensor.port_b, port_b);
    connect(fixedTemperature.port, heatFlowSensor.port_a);
    connect(heatFlowSensor.Q_flow, Q_flow);
  end ConditionalFixedHeatFlowSensor;
end Sensors;
