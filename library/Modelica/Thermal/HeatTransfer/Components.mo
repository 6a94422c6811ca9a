within Modelica.Thermal.HeatTransfer;
package Components "Storage and transport of heat"
  import Modelica.Units.SI;

  model HeatCapacitor "Heat storage with uniform temperature"
    parameter SI.HeatCapacity C "Heat capacity";
    SI.Temperature T(start=293.15, displayUnit="degC") "Temperature";
    SI.TemperatureSlope der_T(start=0) "Rate of the temperature";
    Interfaces.HeatPort_a port "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  equation
    port.T = T;
    der_T = der(T);
    port.Q_flow = C*der(T);
    annotation(Icon(graphics={
      Ellipse(extent={{-70,80},{70,-60}}, lineColor={191,0,0}, fillColor={245,215,215}, fillPattern=FillPattern.Solid),
      Text(extent={{-60,40},{60,-20}}, textString="C", textColor={191,0,0}),
      Line(points={{0,-60},{0,-90}}, color={191,0,0}),
      Text(extent={{-150,124},{150,84}}, textString="%name", textColor={0,0,255})}));
  end HeatCapacitor;

  model ThermalConductor "Heat conduction, given as conductance"
    extends Interfaces.Element1D;
    parameter SI.ThermalConductance G "Conductance";
  equation
    Q_flow = G*dT;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,50},{90,-50}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Line(points={{-60,0},{50,0}}, color={191,0,0}),
      Polygon(points={{66,0},{46,10},{46,-10}}, lineColor={191,0,0}, fillColor={191,0,0}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,100},{150,60}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="G = %G", textColor={0,0,0})}));
  end ThermalConductor;

  model ThermalResistor "Heat conduction, given as resistance"
    extends Interfaces.Element1D;
    parameter SI.ThermalResistance R "Resistance";
  equation
    R*Q_flow = dT;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,50},{90,-50}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Line(points={{-60,0},{50,0}}, color={191,0,0}),
      Polygon(points={{66,0},{46,10},{46,-10}}, lineColor={191,0,0}, fillColor={191,0,0}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,100},{150,60}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="R = %R", textColor={0,0,0})}));
  end ThermalResistor;

  model Convection "Heat transfer to a fluid, conductance from a signal"
    Modelica.Blocks.Interfaces.RealInput Gc(unit="W/K") "Conductance"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
    Interfaces.HeatPort_a solid "Wall"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b fluid "Fluid"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    SI.HeatFlowRate Q_flow "Heat flow from the wall to the fluid";
    SI.TemperatureDifference dT "Temperature drop from the wall to the fluid";
  equation
    dT = solid.T - fluid.T;
    Q_flow = Gc*dT;
    Q_flow = solid.Q_flow;
    solid.Q_flow + fluid.Q_flow = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Line(points={{-60,30},{-30,44},{0,30},{30,16},{60,30}}, color={191,0,0}, smooth=Smooth.Bezier),
      Line(points={{-60,0},{-30,14},{0,0},{30,-14},{60,0}}, color={191,0,0}, smooth=Smooth.Bezier),
      Line(points={{-60,-30},{-30,-16},{0,-30},{30,-44},{60,-30}}, color={191,0,0}, smooth=Smooth.Bezier),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end Convection;

  model ConvectiveResistor "Heat transfer to a fluid, resistance from a signal"
    Modelica.Blocks.Interfaces.RealInput Rc(unit="K/W") "Resistance"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
    Interfaces.HeatPort_a solid "Wall"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b fluid "Fluid"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    SI.HeatFlowRate Q_flow "Heat flow from the wall to the fluid";
    SI.TemperatureDifference dT "Temperature drop from the wall to the fluid";
  equation
    dT = solid.T - fluid.T;
    Rc*Q_flow = dT;
    Q_flow = solid.Q_flow;
    solid.Q_flow + fluid.Q_flow = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Line(points={{-60,30},{-30,44},{0,30},{30,16},{60,30}}, color={191,0,0}, smooth=Smooth.Bezier),
      Line(points={{-60,0},{-30,14},{0,0},{30,-14},{60,0}}, color={191,0,0}, smooth=Smooth.Bezier),
      Line(points={{-60,-30},{-30,-16},{0,-30},{30,-44},{60,-30}}, color={191,0,0}, smooth=Smooth.Bezier),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end ConvectiveResistor;

  model BodyRadiation "Heat radiation between two surfaces"
    extends Interfaces.Element1D;
    parameter Real Gr(unit="m2") "Area times exchange factor";
  equation
    Q_flow = Modelica.Constants.sigma*Gr*(port_a.T^4 - port_b.T^4);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={250,235,235}, fillPattern=FillPattern.Solid),
      Line(points={{-60,30},{-30,44},{0,30},{30,16},{60,30}}, color={191,0,0}, smooth=Smooth.Bezier),
      Line(points={{-60,0},{-30,14},{0,0},{30,-14},{60,0}}, color={191,0,0}, smooth=Smooth.Bezier),
      Line(points={{-60,-30},{-30,-16},{0,-30},{30,-44},{60,-30}}, color={191,0,0}, smooth=Smooth.Bezier),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end BodyRadiation;

  model ThermalCollector "Joins m heat ports"
    parameter Integer m(min=1) = 3 "Number of ports";
    Interfaces.HeatPort_a port_a[m] "Ports to join"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b port_b "Common port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    for k in 1:m loop
      port_a[k].T = port_b.T;
    end for;
    sum(port_a.Q_flow) + port_b.Q_flow = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ThermalCollector", textColor={191,0,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ThermalCollector;

  model ThermalCollectorMatrix "Joins Ns times Np heat ports"
    parameter Integer Ns(min=1) "Rows";
    parameter Integer Np(min=1) "Columns";
    Interfaces.HeatPort_a port_a[Ns, Np] "Ports to join"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.HeatPort_b port_b "Common port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    for i in 1:Ns, k in 1:Np loop
      port_a[i, k].T = port_b.T;
    end for;
    sum(port_a.Q_flow) + port_b.Q_flow = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ThermalCollectorMatrix", textColor={191,0,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ThermalCollectorMatrix;

  model GeneralTemperatureToHeatFlowAdaptor "A heat port as signals: temperature in, heat flow out"
    extends Modelica.Blocks.Interfaces.Adaptors.PotentialToFlowAdaptor(final Name_p="T", final Name_pder="dT", final Name_pder2="d2T",
      final Name_f="Q", final Name_fder="der(Q)", final Name_fder2="der2(Q)", final use_pder2=false, final use_fder=false,
      final use_fder2=false, p(unit="K", displayUnit="degC"), pder(unit="K/s"), f(unit="W"));
    Interfaces.HeatPort_b heatPort "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  equation
    y = heatPort.Q_flow;
    u = heatPort.T;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralTemperatureToHeatFlowAdaptor", textColor={191,0,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralTemperatureToHeatFlowAdaptor;

  model GeneralHeatFlowToTemperatureAdaptor "A heat port as signals: heat flow in, temperature out"
    extends Modelica.Blocks.Interfaces.Adaptors.FlowToPotentialAdaptor(final Name_p="T", final Name_pder="dT", final Name_pder2="d2T",
      final Name_f="Q", final Name_fder="der(Q)", final Name_fder2="der2(Q)", final use_pder2=false, final use_fder=false,
      final use_fder2=false, p(unit="K", displayUnit="degC"), pder(unit="K/s"), f(unit="W"));
    Interfaces.HeatPort_a heatPort "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  equation
    y = heatPort.T;
    u = heatPort.Q_flow;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={191,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralHeatFlowToTemperatureAdaptor", textColor={191,0,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralHeatFlowToTemperatureAdaptor;
end Components;
