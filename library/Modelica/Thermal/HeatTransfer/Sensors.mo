within Modelica.Thermal.HeatTransfer;
package Sensors "Ideal sensors"

  model TemperatureSensor "Temperature"
    Modelica.Blocks.Interfaces.RealOutput T(unit="K") "Temperature"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Interfaces.HeatPort_a port "Heat port"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    T = port.T;
    port.Q_flow = 0;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-60,0}}, color={191,0,0}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="T", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end TemperatureSensor;

  model RelTemperatureSensor "Temperature difference"
    Interfaces.HeatPort_a port_a "First side"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b port_b "Second side"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealOutput T_rel(unit="K", displayUnit="K") "port_a.T - port_b.T"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    T_rel = port_a.T - port_b.T;
    port_a.Q_flow = 0;
    port_b.Q_flow = 0;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-60,0}}, color={191,0,0}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="T", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end RelTemperatureSensor;

  model HeatFlowSensor "Heat flow"
    Modelica.Blocks.Interfaces.RealOutput Q_flow(unit="W") "Heat flow from port_a to port_b"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Interfaces.HeatPort_a port_a "First side"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b port_b "Second side"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port_b.T = port_a.T;
    Q_flow = port_a.Q_flow;
    port_a.Q_flow + port_b.Q_flow = 0;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-60,0}}, color={191,0,0}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="W", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end HeatFlowSensor;

  model ConditionalFixedHeatFlowSensor "Heat flow, with an optional fixed temperature behind it"
    parameter Boolean useFixedTemperature(start=false) "true: 293.15 K at port_a" annotation(Evaluate=true);
    Interfaces.HeatPort_a port_a "First side"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b port_b "Second side"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealOutput Q_flow(unit="W") "Heat flow from port_a to port_b"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    HeatFlowSensor heatFlowSensor "Sensor";
    Modelica.Thermal.HeatTransfer.Sources.FixedTemperature fixedTemperature(final T=293.15) if useFixedTemperature
      "Fixed temperature";
  equation
    connect(port_a, heatFlowSensor.port_a);
    connect(heatFlowSensor.port_b, port_b);
    connect(fixedTemperature.port, heatFlowSensor.port_a);
    connect(heatFlowSensor.Q_flow, Q_flow);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ConditionalFixedHeatFlowSensor", textColor={191,0,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ConditionalFixedHeatFlowSensor;
end Sensors;
