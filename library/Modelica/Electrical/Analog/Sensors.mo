within Modelica.Electrical.Analog;
package Sensors "Ideal measurement of potential, voltage, current and power"
  model PotentialSensor "Potential of a pin"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin p "Pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Modelica.Blocks.Interfaces.RealOutput phi(unit="V") "Potential"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    p.i = 0;
    phi = p.v;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-60,0}}, color={0,0,255}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="V", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end PotentialSensor;

  model VoltageSensor "Voltage between two pins"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealOutput v(unit="V") "Voltage from p to n"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    p.i = 0;
    n.i = 0;
    v = p.v - n.v;
    annotation(Icon(graphics={
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="V", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end VoltageSensor;

  model CurrentSensor "Current through a branch"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealOutput i(unit="A") "Current from p to n"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    p.v = n.v;
    p.i = i;
    n.i = -i;
    annotation(Icon(graphics={
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="A", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end CurrentSensor;

  model PowerSensor "Power from a current path and a voltage path"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin pc "Positive pin of the current path"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin nc "Negative pin of the current path"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin pv "Positive pin of the voltage path"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
    Interfaces.NegativePin nv "Negative pin of the voltage path"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    Modelica.Blocks.Interfaces.RealOutput power(unit="W") "Power"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    VoltageSensor voltageSensor "Voltage path";
    CurrentSensor currentSensor "Current path";
  equation
    connect(pv, voltageSensor.p);
    connect(voltageSensor.n, nv);
    connect(pc, currentSensor.p);
    connect(currentSensor.n, nc);
    power = voltageSensor.v*currentSensor.i;
    annotation(Icon(graphics={
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="W", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end PowerSensor;

  model MultiSensor "Current, voltage and power"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin pc "Positive pin of the current path"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin nc "Negative pin of the current path"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin pv "Positive pin of the voltage path"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
    Interfaces.NegativePin nv "Negative pin of the voltage path"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    Modelica.Blocks.Interfaces.RealOutput i(final quantity="ElectricCurrent", final unit="A") "Current"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Modelica.Blocks.Interfaces.RealOutput v(final quantity="ElectricPotential", final unit="V") "Voltage"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Modelica.Blocks.Interfaces.RealOutput power(final quantity="Power", final unit="W") "Power"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    pc.v = nc.v;
    pc.i = i;
    nc.i = -i;
    pv.i = 0;
    nv.i = 0;
    v = pv.v - nv.v;
    power = v*i;
    annotation(Icon(graphics={
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Ellipse(extent={{-58,58},{58,-58}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-40,36},{40,-36}}, textString="M", textColor={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,255})}));
  end MultiSensor;
end Sensors;
