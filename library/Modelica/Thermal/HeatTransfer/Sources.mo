within Modelica.Thermal.HeatTransfer;
package Sources "Prescribed temperatures and heat flows"
  import Modelica.Units.SI;

  model FixedTemperature "Constant temperature"
    parameter SI.Temperature T "Temperature";
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = T;
    annotation(Icon(graphics={
      Rectangle(extent={{-80,60},{60,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Text(extent={{-60,40},{40,-40}}, textString="T", textColor={191,0,0}),
      Line(points={{60,0},{90,0}}, color={191,0,0}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end FixedTemperature;

  model PrescribedTemperature "Temperature from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="K") "Temperature"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = T;
    annotation(Icon(graphics={
      Rectangle(extent={{-80,60},{60,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Text(extent={{-60,40},{40,-40}}, textString="T", textColor={191,0,0}),
      Line(points={{60,0},{90,0}}, color={191,0,0}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end PrescribedTemperature;

  model FixedHeatFlow "Constant heat flow, optionally linear in temperature"
    parameter SI.HeatFlowRate Q_flow "Heat flow out of the port at T_ref";
    parameter SI.Temperature T_ref = 293.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient";
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.Q_flow = -Q_flow*(1 + alpha*(port.T - T_ref));
    annotation(Icon(graphics={
      Rectangle(extent={{-80,60},{40,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Text(extent={{-70,40},{30,-40}}, textString="Q", textColor={191,0,0}),
      Line(points={{40,0},{70,0}}, color={191,0,0}, thickness=0.5),
      Polygon(points={{90,0},{66,14},{66,-14}}, lineColor={191,0,0}, fillColor={191,0,0}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end FixedHeatFlow;

  model PrescribedHeatFlow "Heat flow from a signal, optionally linear in temperature"
    parameter SI.Temperature T_ref = 293.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient";
    Modelica.Blocks.Interfaces.RealInput Q_flow(unit="W") "Heat flow out of the port at T_ref"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.Q_flow = -Q_flow*(1 + alpha*(port.T - T_ref));
    annotation(Icon(graphics={
      Rectangle(extent={{-80,60},{40,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Text(extent={{-70,40},{30,-40}}, textString="Q", textColor={191,0,0}),
      Line(points={{40,0},{70,0}}, color={191,0,0}, thickness=0.5),
      Polygon(points={{90,0},{66,14},{66,-14}}, lineColor={191,0,0}, fillColor={191,0,0}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end PrescribedHeatFlow;
end Sources;
