within Modelica.Electrical.Analog;
package Interfaces "Pins and base classes of analog components"
  connector Pin "Electrical pin"
    SI.ElectricPotential v "Potential" annotation(unassignedMessage="A potential is not determined; is a Ground missing?");
    flow SI.Current i "Current into the component";
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid)}));
  end Pin;

  connector PositivePin "Positive pin"
    SI.ElectricPotential v "Potential";
    flow SI.Current i "Current into the component";
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid)}));
  end PositivePin;

  connector NegativePin "Negative pin"
    SI.ElectricPotential v "Potential";
    flow SI.Current i "Current into the component";
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  end NegativePin;

  partial model TwoPin "Two pins and the voltage between them"
    SI.Voltage v "Voltage from p to n";
    PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    v = p.v - n.v;
  end TwoPin;

  partial model OnePort "Two pins with the same current"
    extends TwoPin;
    SI.Current i "Current from p to n";
  equation
    p.i = i;
    n.i = -i;
  end OnePort;

  partial model FourPin "Two pairs of pins"
    SI.Voltage v1 "Voltage from p1 to n1";
    SI.Voltage v2 "Voltage from p2 to n2";
    SI.Current i1 "Current into p1";
    SI.Current i2 "Current into p2";
    PositivePin p1 "Positive pin of the left pair"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    NegativePin n1 "Negative pin of the left pair"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    PositivePin p2 "Positive pin of the right pair"
      annotation(Placement(transformation(extent={{90,40},{110,60}})));
    NegativePin n2 "Negative pin of the right pair"
      annotation(Placement(transformation(extent={{90,-60},{110,-40}})));
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
  end FourPin;

  partial model TwoPort "Two pairs of pins, each with one current"
    extends FourPin;
  equation
    n1.i = -i1;
    n2.i = -i2;
  end TwoPort;

  partial model ConditionalHeatPort "Optional heat port for the losses"
    parameter Boolean useHeatPort = false "There is a heat port" annotation(Evaluate=true);
    parameter SI.Temperature T = 293.15 "Temperature without heat port";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort(final T=T_heatPort, final Q_flow=-LossPower)
      if useHeatPort "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    SI.Power LossPower "Power turned into heat";
    SI.Temperature T_heatPort "Temperature";
  equation
    if not useHeatPort then
      T_heatPort = T;
    end if;
  end ConditionalHeatPort;

  partial model PartialConditionalHeatPort "Optional heat port for the losses of parts"
    parameter Boolean useHeatPort = false "There is a heat port" annotation(Evaluate=true);
    parameter SI.Temperature T = 293.15 "Temperature without heat port";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort if useHeatPort "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    Modelica.Thermal.HeatTransfer.Sources.FixedTemperature fixedTemperature(final T=T) if not useHeatPort
      "Surroundings without heat port";
  protected
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a internalHeatPort "Port of the parts";
  equation
    connect(internalHeatPort, heatPort);
    connect(internalHeatPort, fixedTemperature.port);
  end PartialConditionalHeatPort;

  partial model AbsoluteSensor "Sensor at one pin"
    extends Modelica.Icons.RoundSensor;
    PositivePin p "Pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Modelica.Blocks.Interfaces.RealOutput y "Measured value"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end AbsoluteSensor;

  partial model RelativeSensor "Sensor between two pins"
    extends Modelica.Icons.RoundSensor;
    PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealOutput y "Measured value"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  end RelativeSensor;

  partial model VoltageSource "Voltage that follows a signal source"
    extends OnePort;
    parameter SI.Voltage offset = 0 "Added to the voltage";
    parameter SI.Time startTime = 0 "The voltage is the offset before this time";
    replaceable Modelica.Blocks.Interfaces.SignalSource signalSource(final offset=offset, final startTime=startTime)
      "Shape of the voltage";
  equation
    v = signalSource.y;
  end VoltageSource;

  partial model CurrentSource "Current that follows a signal source"
    extends OnePort;
    parameter SI.Current offset = 0 "Added to the current";
    parameter SI.Time startTime = 0 "The current is the offset before this time";
    replaceable Modelica.Blocks.Interfaces.SignalSource signalSource(final offset=offset, final startTime=startTime)
      "Shape of the current";
  equation
    i = signalSource.y;
  end CurrentSource;

  partial model IdealSemiconductor "Characteristic of two straight lines through a knee"
    extends OnePort;
    parameter SI.Resistance Ron(final min=0) = 1e-5 "Differential resistance when conducting";
    parameter SI.Conductance Goff(final min=0) = 1e-5 "Conductance when blocking";
    parameter SI.Voltage Vknee(final min=0) = 0 "Voltage of the knee";
    extends ConditionalHeatPort;
    Boolean off(start=true) "Blocking";
  protected
    // s runs along the characteristic: it is v - Vknee when blocking and i - Goff*Vknee when conducting
    Real s(start=0, final unit="1") "Path parameter of the characteristic";
    constant SI.Voltage unitVoltage = 1 "For the unit of s";
    constant SI.Current unitCurrent = 1 "For the unit of s";
  equation
    v - Vknee = if off then s*unitVoltage else Ron*s*unitCurrent;
    i - Goff*Vknee = if off then Goff*s*unitVoltage else s*unitCurrent;
    LossPower = v*i;
  end IdealSemiconductor;

  partial model IdealSwitch "Small resistance when closed, small conductance when open"
    extends OnePort;
    parameter SI.Resistance Ron(final min=0) = 1e-5 "Resistance when closed";
    parameter SI.Conductance Goff(final min=0) = 1e-5 "Conductance when open";
    extends ConditionalHeatPort(final T=293.15);
  protected
    Boolean off "Open";
    Real s(final unit="1") "Voltage when open, current when closed";
    constant SI.Voltage unitVoltage = 1 "For the unit of s";
    constant SI.Current unitCurrent = 1 "For the unit of s";
  equation
    v = if off then s*unitVoltage else Ron*s*unitCurrent;
    i = if off then Goff*s*unitVoltage else s*unitCurrent;
    LossPower = v*i;
  end IdealSwitch;

  partial model IdealSwitchWithArc "Switch whose current dies in an arc after opening"
    extends OnePort;
    parameter SI.Resistance Ron = 1e-5 "Resistance when closed";
    parameter SI.Conductance Goff = 1e-5 "Conductance when open";
    parameter SI.Voltage V0(start=30) "Arc voltage at opening";
    parameter SI.VoltageSlope dVdt(start=10e3) "Growth of the arc voltage";
    parameter SI.Voltage Vmax(start=60) "Largest arc voltage";
    extends ConditionalHeatPort(final T=293.15);
    Boolean off(start=true) "Open";
  protected
    Boolean quenched(start=true, fixed=true) "The arc is out";
    discrete SI.Time tSwitch(start=-Modelica.Constants.inf, fixed=true) "Time of the last opening";
    SI.Voltage vArc = min(Vmax, V0 + dVdt*(time - tSwitch)) "Arc voltage";
  equation
    when edge(off) then
      tSwitch = time;
    end when;
    quenched = off and (pre(quenched) or abs(i) <= Goff*abs(v));
    if not off then
      v = Ron*i;
    elseif quenched then
      i = Goff*v;
    else
      v = vArc*sign(i);
    end if;
    LossPower = v*i;
  end IdealSwitchWithArc;
end Interfaces;
