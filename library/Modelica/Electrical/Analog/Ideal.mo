within Modelica.Electrical.Analog;
package Ideal "Ideal switches, semiconductors, transformers and amplifiers"
  model IdealDiode "Diode with a knee"
    extends Interfaces.IdealSemiconductor;
  equation
    off = s < 0;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,255})}));
  end IdealDiode;

  model IdealThyristor "Diode that conducts after firing until the current ends"
    extends Interfaces.IdealSemiconductor;
    Modelica.Blocks.Interfaces.BooleanInput fire "Gate"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    off = s < 0 or pre(off) and not fire;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Line(points={{26,0},{54,46},{54,92}}, color={0,0,255}),
      Text(extent={{-150,-50},{150,-90}}, textString="%name", textColor={0,0,255})}));
  end IdealThyristor;

  model IdealGTOThyristor "Diode that conducts while fired"
    extends Interfaces.IdealSemiconductor;
    Modelica.Blocks.Interfaces.BooleanInput fire "Gate"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    off = s < 0 or not fire;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Line(points={{26,0},{54,46},{54,92}}, color={0,0,255}),
      Text(extent={{-150,-50},{150,-90}}, textString="%name", textColor={0,0,255})}));
  end IdealGTOThyristor;

  partial model TwoWaySwitch "One contact to one of two"
    parameter SI.Resistance Ron(final min=0) = 1e-5 "Resistance when closed";
    parameter SI.Conductance Goff(final min=0) = 1e-5 "Conductance when open";
    extends Interfaces.ConditionalHeatPort(final T=293.15);
    Interfaces.PositivePin p "Common contact"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n2 "Contact for true"
      annotation(Placement(transformation(extent={{90,-60},{110,-40}})));
    Interfaces.NegativePin n1 "Contact for false"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
  protected
    Boolean toSecond "p is connected to n2";
    Real s1(final unit="1") "Voltage to n1 when open, current when closed";
    Real s2(final unit="1") "Voltage to n2 when open, current when closed";
    constant SI.Voltage unitVoltage = 1 "For the unit of s";
    constant SI.Current unitCurrent = 1 "For the unit of s";
  equation
    p.v - n1.v = if toSecond then s1*unitVoltage else Ron*s1*unitCurrent;
    -n1.i = if toSecond then Goff*s1*unitVoltage else s1*unitCurrent;
    p.v - n2.v = if toSecond then Ron*s2*unitCurrent else s2*unitVoltage;
    -n2.i = if toSecond then s2*unitCurrent else Goff*s2*unitVoltage;
    p.i = -(n1.i + n2.i);
    LossPower = p.v*p.i + n1.v*n1.i + n2.v*n2.i;
  end TwoWaySwitch;

  model IdealTwoWaySwitch "Two-way switch set by a Boolean signal"
    extends TwoWaySwitch;
    Modelica.Blocks.Interfaces.BooleanInput control "true: p to n2, false: p to n1"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    toSecond = control;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealTwoWaySwitch", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealTwoWaySwitch;

  model ControlledIdealTwoWaySwitch "Two-way switch set by a potential"
    parameter SI.Voltage level = 0.5 "p to n2 above this potential";
    extends TwoWaySwitch;
    Interfaces.Pin control "Control"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    control.i = 0;
    toSecond = control.v > level;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ControlledIdealTwoWaySwitch", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ControlledIdealTwoWaySwitch;

  partial model IntermediateSwitch "Two lines, straight or crossed"
    parameter SI.Resistance Ron(final min=0) = 1e-5 "Resistance when closed";
    parameter SI.Conductance Goff(final min=0) = 1e-5 "Conductance when open";
    extends Interfaces.ConditionalHeatPort(final T=293.15);
    Interfaces.PositivePin p1 "First contact on the left"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.PositivePin p2 "Second contact on the left"
      annotation(Placement(transformation(extent={{90,40},{110,60}})));
    Interfaces.NegativePin n1 "First contact on the right"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.NegativePin n2 "Second contact on the right"
      annotation(Placement(transformation(extent={{90,-60},{110,-40}})));
  protected
    Boolean crossed "p1 is connected to n2 and p2 to n1";
    Real s1(final unit="1") "p1 to n1: voltage when open, current when closed";
    Real s2(final unit="1") "p2 to n2";
    Real s3(final unit="1") "p1 to n2";
    Real s4(final unit="1") "p2 to n1";
    SI.Current i11 "Current from p1 to n1";
    SI.Current i22 "Current from p2 to n2";
    SI.Current i12 "Current from p1 to n2";
    SI.Current i21 "Current from p2 to n1";
    constant SI.Voltage unitVoltage = 1 "For the unit of s";
    constant SI.Current unitCurrent = 1 "For the unit of s";
  equation
    p1.v - n1.v = if crossed then s1*unitVoltage else Ron*s1*unitCurrent;
    p2.v - n2.v = if crossed then s2*unitVoltage else Ron*s2*unitCurrent;
    p1.v - n2.v = if crossed then Ron*s3*unitCurrent else s3*unitVoltage;
    p2.v - n1.v = if crossed then Ron*s4*unitCurrent else s4*unitVoltage;
    i11 = if crossed then Goff*s1*unitVoltage else s1*unitCurrent;
    i22 = if crossed then Goff*s2*unitVoltage else s2*unitCurrent;
    i12 = if crossed then s3*unitCurrent else Goff*s3*unitVoltage;
    i21 = if crossed then s4*unitCurrent else Goff*s4*unitVoltage;
    p1.i = i11 + i12;
    p2.i = i21 + i22;
    n1.i = -(i11 + i21);
    n2.i = -(i12 + i22);
    LossPower = p1.v*p1.i + p2.v*p2.i + n1.v*n1.i + n2.v*n2.i;
  end IntermediateSwitch;

  model IdealIntermediateSwitch "Intermediate switch set by a Boolean signal"
    extends IntermediateSwitch;
    Modelica.Blocks.Interfaces.BooleanInput control "true: crossed, false: straight"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    crossed = control;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealIntermediateSwitch", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealIntermediateSwitch;

  model ControlledIdealIntermediateSwitch "Intermediate switch set by a potential"
    parameter SI.Voltage level = 0.5 "Crossed above this potential";
    extends IntermediateSwitch;
    Interfaces.Pin control "Control"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    control.i = 0;
    crossed = control.v > level;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ControlledIdealIntermediateSwitch", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ControlledIdealIntermediateSwitch;

  model IdealOpAmp "Nullator at the input, norator at the output"
    SI.Voltage v1 "Input voltage";
    SI.Voltage v2 "Output voltage";
    SI.Current i1 "Input current";
    SI.Current i2 "Output current";
    Interfaces.PositivePin p1 "Positive input"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.NegativePin n1 "Negative input"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.PositivePin p2 "Positive output"
      annotation(Placement(transformation(extent={{90,40},{110,60}})));
    Interfaces.NegativePin n2 "Negative output"
      annotation(Placement(transformation(extent={{90,-60},{110,-40}})));
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    n1.i = -i1;
    n2.i = -i2;
    v1 = 0;
    i1 = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealOpAmp", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealOpAmp;

  model IdealOpAmp3Pin "Ideal amplifier with one output pin"
    Interfaces.PositivePin in_p "Positive input"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.NegativePin in_n "Negative input"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.PositivePin out "Output"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    in_p.v = in_n.v;
    in_p.i = 0;
    in_n.i = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealOpAmp3Pin", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealOpAmp3Pin;

  model IdealOpAmpLimited "Ideal amplifier within the supply"
    Interfaces.PositivePin in_p "Positive input"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.NegativePin in_n "Negative input"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.PositivePin out "Output"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin VMax "Positive supply"
      annotation(Placement(transformation(extent={{-10,60},{10,80}})));
    Interfaces.NegativePin VMin "Negative supply"
      annotation(Placement(transformation(extent={{-10,-80},{10,-60}})));
    SI.Voltage vin "Input voltage";
  protected
    // s in [-1, 1] moves the output between the supplies, outside it is the input voltage
    Real s(start=0, final unit="1") "Path parameter of the characteristic";
    constant SI.Voltage unitVoltage = 1 "For the unit of s";
  equation
    vin = in_p.v - in_n.v;
    vin = unitVoltage*smooth(0, if s > 1 then s - 1 elseif s < -1 then s + 1 else 0);
    out.v = smooth(0, if s > 1 then VMax.v elseif s < -1 then VMin.v
      else ((1 + s)*VMax.v + (1 - s)*VMin.v)/2);
    in_p.i = 0;
    in_n.i = 0;
    VMax.i = 0;
    VMin.i = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealOpAmpLimited", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealOpAmpLimited;

  model IdealizedOpAmpLimited "Amplifier with finite gain within the supply"
    import Modelica.Blocks.Types.LimiterHomotopy;
    parameter Real V0 = 15000.0 "Gain";
    parameter Boolean useSupply = false "The supply has pins" annotation(Evaluate=true);
    parameter SI.Voltage Vps = +15 "Positive supply without pins";
    parameter SI.Voltage Vns = -15 "Negative supply without pins";
    parameter Boolean strict = true "No events at the limits";
    parameter LimiterHomotopy homotopyType = LimiterHomotopy.NoHomotopy "Start of the initialization";
    SI.Voltage vps "Positive supply";
    SI.Voltage vns "Negative supply";
    SI.Voltage v_in = in_p.v - in_n.v "Input voltage";
    SI.Voltage v_out = out.v "Output voltage";
    SI.Power p_in = in_p.v*in_p.i + in_n.v*in_n.i "Power into the input";
    SI.Power p_out = out.v*out.i "Power into the output";
    SI.Power p_s = -(p_in + p_out) "Power from the supply";
    SI.Current i_s = p_s/(vps - vns) "Current from the supply";
    Interfaces.PositivePin in_p "Positive input"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.NegativePin in_n "Negative input"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.PositivePin out "Output"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin s_p(final i=+i_s, final v=vps) if useSupply "Positive supply"
      annotation(Placement(transformation(extent={{-10,60},{10,80}})));
    Interfaces.NegativePin s_n(final i=-i_s, final v=vns) if useSupply "Negative supply"
      annotation(Placement(transformation(extent={{-10,-80},{10,-60}})));
  protected
    SI.Voltage linear = V0*v_in "Output without limits";
    SI.Voltage limited "Output within limits";
    SI.Voltage simplifiedExpr "Output at the start of the initialization";
  equation
    if not useSupply then
      vps = Vps;
      vns = Vns;
    end if;
    in_p.i = 0;
    in_n.i = 0;
    if strict then
      limited = smooth(0, noEvent(if linear > vps then vps elseif linear < vns then vns else linear));
    else
      limited = smooth(0, if linear > vps then vps elseif linear < vns then vns else linear);
    end if;
    simplifiedExpr = if homotopyType == LimiterHomotopy.UpperLimit then vps
      elseif homotopyType == LimiterHomotopy.LowerLimit then vns
      elseif homotopyType == LimiterHomotopy.Linear then linear else 0;
    if homotopyType == LimiterHomotopy.NoHomotopy then
      v_out = limited;
    else
      v_out = homotopy(actual=limited, simplified=simplifiedExpr);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealizedOpAmpLimited", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealizedOpAmpLimited;

  model IdealTransformer "Transformer without losses, with optional magnetization"
    extends Interfaces.TwoPort;
    parameter Real n(start=1) "Left voltage over right voltage";
    parameter Boolean considerMagnetization = false "There is a magnetizing inductance" annotation(Evaluate=true);
    parameter SI.Inductance Lm1(start=1) "Magnetizing inductance seen from the left";
  protected
    SI.Current im1 "Magnetizing current";
    SI.MagneticFlux psim1 "Magnetizing flux";
  equation
    v1 = n*v2;
    im1 = i1 + i2/n;
    if considerMagnetization then
      psim1 = Lm1*im1;
      der(psim1) = v1;
    else
      psim1 = 0;
      im1 = 0;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealTransformer", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealTransformer;

  model IdealGyrator "Gyrator without losses"
    extends Interfaces.TwoPort;
    parameter SI.Conductance G(start=1) "Gyration conductance";
  equation
    i1 = G*v2;
    i2 = -G*v1;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealGyrator", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealGyrator;

  model Idle "No connection"
    extends Interfaces.OnePort;
  equation
    i = 0;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-40,0}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,80},{150,40}}, textString="%name", textColor={0,0,255})}));
  end Idle;

  model Short "Direct connection"
    extends Interfaces.OnePort;
  equation
    v = 0;
    annotation(Icon(graphics={
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,80},{150,40}}, textString="%name", textColor={0,0,255})}));
  end Short;

  model IdealOpeningSwitch "Switch opened by a Boolean signal"
    extends Interfaces.IdealSwitch;
    Modelica.Blocks.Interfaces.BooleanInput control "true: open"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    off = control;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{42,8}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end IdealOpeningSwitch;

  model IdealClosingSwitch "Switch closed by a Boolean signal"
    extends Interfaces.IdealSwitch;
    Modelica.Blocks.Interfaces.BooleanInput control "true: closed"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    off = not control;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{40,46}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end IdealClosingSwitch;

  model ControlledIdealOpeningSwitch "Switch opened by a potential"
    parameter SI.Voltage level = 0.5 "Open above this potential";
    extends Interfaces.IdealSwitch;
    Interfaces.Pin control "Control"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    control.i = 0;
    off = control.v > level;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{42,8}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end ControlledIdealOpeningSwitch;

  model ControlledIdealClosingSwitch "Switch closed by a potential"
    parameter SI.Voltage level = 0.5 "Closed above this potential";
    extends Interfaces.IdealSwitch;
    Interfaces.Pin control "Control"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    control.i = 0;
    off = control.v <= level;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{40,46}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end ControlledIdealClosingSwitch;

  model OpenerWithArc "Switch with arc, opened by a Boolean signal"
    extends Interfaces.IdealSwitchWithArc;
    Modelica.Blocks.Interfaces.BooleanInput control "true: open"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    off = control;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{42,8}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end OpenerWithArc;

  model CloserWithArc "Switch with arc, closed by a Boolean signal"
    extends Interfaces.IdealSwitchWithArc;
    Modelica.Blocks.Interfaces.BooleanInput control "true: closed"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    off = not control;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{40,46}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end CloserWithArc;

  model ControlledOpenerWithArc "Switch with arc, opened by a potential"
    parameter SI.Voltage level = 0.5 "Open above this potential";
    extends Interfaces.IdealSwitchWithArc;
    Interfaces.Pin control "Control"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    control.i = 0;
    off = control.v > level;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{42,8}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end ControlledOpenerWithArc;

  model ControlledCloserWithArc "Switch with arc, closed by a potential"
    parameter SI.Voltage level = 0.5 "Closed above this potential";
    extends Interfaces.IdealSwitchWithArc;
    Interfaces.Pin control "Control"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    control.i = 0;
    off = control.v <= level;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-44,0}}, color={0,0,255}),
      Ellipse(extent={{-44,4},{-36,-4}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-37,2},{40,46}}, color={0,0,255}),
      Line(points={{40,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-30},{150,-70}}, textString="%name", textColor={0,0,255})}));
  end ControlledCloserWithArc;

  model IdealTriac "Two thyristors against each other, with a damping branch"
    parameter SI.Resistance Ron(final min=0) = 1e-5 "Differential resistance when conducting";
    parameter SI.Conductance Goff(final min=0) = 1e-5 "Conductance when blocking";
    parameter SI.Voltage Vknee(final min=0, start=0) = 0.8 "Voltage of the knee";
    parameter SI.Resistance Rdis = 100 "Resistance of the damping branch";
    parameter SI.Capacitance Cdis = 0.005 "Capacitance of the damping branch";
    IdealThyristor idealThyristor(Ron=Ron, Goff=Goff, Vknee=Vknee) "Conducts from n to p";
    IdealThyristor idealThyristor1(Ron=Ron, Goff=Goff, Vknee=Vknee) "Conducts from p to n";
    Basic.Resistor resistor(R=Rdis) "Damping resistor";
    Basic.Capacitor capacitor(C=Cdis) "Damping capacitor";
    Modelica.Blocks.Interfaces.BooleanInput fire1 "Gate"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.NegativePin n "Cathode"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin p "Anode"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    connect(p, idealThyristor1.p);
    connect(idealThyristor1.n, n);
    connect(n, idealThyristor.p);
    connect(idealThyristor.n, p);
    connect(n, resistor.p);
    connect(resistor.n, capacitor.p);
    connect(capacitor.n, p);
    connect(fire1, idealThyristor.fire);
    connect(fire1, idealThyristor1.fire);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealTriac", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealTriac;
end Ideal;
