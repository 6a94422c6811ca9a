within Modelica.Electrical.Analog;
package Sources "Voltage and current sources"
  model SignalVoltage "Voltage set by a signal"
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealInput v(unit="V") "Voltage from p to n"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
    SI.Current i "Current from p to n";
  equation
    v = p.v - n.v;
    p.i = i;
    n.i = -i;
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end SignalVoltage;

  model ConstantVoltage "Constant voltage"
    parameter SI.Voltage V(start=1) "Value";
    extends Interfaces.OnePort;
  equation
    v = V;
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,0},{30,0}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end ConstantVoltage;

  model StepVoltage "Step voltage"
    parameter SI.Voltage V(start=1) "Height";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Step signalSource(
      final height=V));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{0,-20},{0,20},{30,20}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end StepVoltage;

  model RampVoltage "Ramp voltage"
    parameter SI.Voltage V(start=1) "Height";
    parameter SI.Time duration(min=Modelica.Constants.small, start=2) "Duration of the ramp";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Ramp signalSource(
      final height=V, final duration=duration));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{-10,-20},{15,20},{30,20}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end RampVoltage;

  model SineVoltage "Sine voltage"
    parameter SI.Voltage V(start=1) "Amplitude";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Frequency f(start=1) "Frequency";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Sine signalSource(
      final amplitude=V, final f=f, final phase=phase));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,0},{-15,28},{0,0},{15,-28},{30,0}}, color={192,192,192}, smooth=Smooth.Bezier),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end SineVoltage;

  model CosineVoltage "Cosine voltage"
    parameter SI.Voltage V(start=1) "Amplitude";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Frequency f(start=1) "Frequency";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Cosine signalSource(
      final amplitude=V, final f=f, final phase=phase));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,20},{-15,0},{0,-20},{15,0},{30,20}}, color={192,192,192}, smooth=Smooth.Bezier),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end CosineVoltage;

  model SineVoltageVariableFrequencyAndAmplitude "Sine voltage whose frequency and amplitude are signals"
    extends Interfaces.OnePort;
    parameter Boolean useConstantAmplitude = false "Amplitude is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Voltage constantAmplitude = 1 "Amplitude, if constant";
    parameter Boolean useConstantFrequency = false "Frequency is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Frequency constantFrequency = 1 "Frequency, if constant";
    parameter SI.Voltage offset = 0 "Added to the wave";
    SI.Angle phi(start=0) "Phase";
    Modelica.Blocks.Interfaces.RealInput V(unit="V") if not useConstantAmplitude "Amplitude"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput f(unit="Hz") if not useConstantFrequency "Frequency"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    Modelica.Blocks.Interfaces.RealInput V_internal(unit="V") "Amplitude in use"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Modelica.Blocks.Interfaces.RealInput f_internal(unit="Hz") "Frequency in use"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  equation
    connect(V, V_internal);
    connect(f, f_internal);
    if useConstantAmplitude then
      V_internal = constantAmplitude;
    end if;
    if useConstantFrequency then
      f_internal = constantFrequency;
    end if;
    der(phi) = 2*Modelica.Constants.pi*f_internal;
    v = offset + V_internal*sin(phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SineVoltageVariableFrequencyAndAmplitude", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SineVoltageVariableFrequencyAndAmplitude;

  model CosineVoltageVariableFrequencyAndAmplitude "Cosine voltage whose frequency and amplitude are signals"
    extends Interfaces.OnePort;
    parameter Boolean useConstantAmplitude = false "Amplitude is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Voltage constantAmplitude = 1 "Amplitude, if constant";
    parameter Boolean useConstantFrequency = false "Frequency is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Frequency constantFrequency = 1 "Frequency, if constant";
    parameter SI.Voltage offset = 0 "Added to the wave";
    SI.Angle phi(start=0) "Phase";
    Modelica.Blocks.Interfaces.RealInput V(unit="V") if not useConstantAmplitude "Amplitude"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput f(unit="Hz") if not useConstantFrequency "Frequency"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    Modelica.Blocks.Interfaces.RealInput V_internal(unit="V") "Amplitude in use"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Modelica.Blocks.Interfaces.RealInput f_internal(unit="Hz") "Frequency in use"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  equation
    connect(V, V_internal);
    connect(f, f_internal);
    if useConstantAmplitude then
      V_internal = constantAmplitude;
    end if;
    if useConstantFrequency then
      f_internal = constantFrequency;
    end if;
    der(phi) = 2*Modelica.Constants.pi*f_internal;
    v = offset + V_internal*cos(phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="CosineVoltageVariableFrequencyAndAmplitude", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end CosineVoltageVariableFrequencyAndAmplitude;

  model ExpSineVoltage "Decaying sine voltage"
    parameter SI.Voltage V(start=1) "Amplitude at startTime";
    parameter SI.Frequency f(start=2) "Frequency";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Damping damping(start=1) "Rate of decay";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.ExpSine signalSource(
      final amplitude=V, final f=f, final phase=phase, final damping=damping));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,0},{-20,26},{-8,-16},{4,10},{16,-6},{30,0}}, color={192,192,192}, smooth=Smooth.Bezier),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end ExpSineVoltage;

  model ExponentialsVoltage "Rising and falling exponential voltage"
    parameter Real vMax(start=1) "Limit of an endless rise";
    parameter SI.Time riseTime(min=0, start=0.5) "Duration of the rise";
    parameter SI.Time riseTimeConst(min=Modelica.Constants.small, start=0.1) "Time constant of the rise";
    parameter SI.Time fallTimeConst(min=Modelica.Constants.small, start=riseTimeConst) "Time constant of the fall";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Exponentials signalSource(
      final outMax=vMax, final riseTime=riseTime, final riseTimeConst=riseTimeConst, final fallTimeConst=fallTimeConst));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{-15,12},{0,20},{12,-6},{30,-18}}, color={192,192,192}, smooth=Smooth.Bezier),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end ExponentialsVoltage;

  model PulseVoltage "Rectangular pulses of voltage"
    parameter SI.Voltage V(start=1) "Amplitude";
    parameter Real width(final min=Modelica.Constants.small, final max=100, start=50) "Pulse width in percent of the period";
    parameter SI.Time period(final min=Modelica.Constants.small, start=1) "Period";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Pulse signalSource(
      final amplitude=V, final width=width, final period=period));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{-15,-20},{-15,20},{0,20},{0,-20},{15,-20},{15,20},{30,20}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end PulseVoltage;

  model SawToothVoltage "Saw teeth of voltage"
    parameter SI.Voltage V(start=1) "Amplitude";
    parameter SI.Time period(start=1) "Period";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.SawTooth signalSource(
      final amplitude=V, final period=period));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{0,20},{0,-20},{30,20},{30,-20}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end SawToothVoltage;

  model TrapezoidVoltage "Trapezoidal pulses of voltage"
    parameter SI.Voltage V(start=1) "Amplitude";
    parameter SI.Time rising(final min=0, start=0) "Duration of the rise";
    parameter SI.Time width(final min=0, start=0.5) "Duration of the plateau";
    parameter SI.Time falling(final min=0, start=0) "Duration of the fall";
    parameter SI.Time period(final min=Modelica.Constants.small, start=1) "Period";
    parameter Integer nperiod(start=-1) "Number of periods; negative means endless";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.Trapezoid signalSource(
      final amplitude=V, final rising=rising, final width=width, final falling=falling, final period=period, final nperiod=nperiod));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{-18,20},{6,20},{18,-20},{30,-20}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end TrapezoidVoltage;

  model LightningImpulseVoltage "Lightning impulse of voltage"
    parameter Types.ImpulseApproximation approximation = Types.ImpulseApproximation.Heidler "Shape";
    parameter SI.Voltage V "Amplitude";
    parameter SI.Time T1 = 10e-6 "Rise time";
    parameter SI.Time T2 = 350e-6 "Time until half the amplitude";
    parameter Integer m(final min=2) = 5 "Exponent of the Heidler function";
    extends Interfaces.VoltageSource(redeclare LightningImpulse signalSource(
      final approximation=approximation, final amplitude=V, final T1=T1, final T2=T2, final m=m));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{-22,20},{-8,2},{30,-16}}, color={192,192,192}, smooth=Smooth.Bezier),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end LightningImpulseVoltage;

  model TableVoltage "Piecewise linear voltage"
    parameter Real table[:, :] = [0, 0; 1, 1; 2, 4] "Times and values";
    extends Interfaces.VoltageSource(redeclare Modelica.Blocks.Sources.TimeTable signalSource(
      final table=table));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-90,0},{90,0}}, color={0,0,255}),
      Line(points={{-30,-20},{-12,-4},{4,-10},{18,18},{30,10}}, color={192,192,192}),
      Text(extent={{-90,60},{-50,20}}, textString="+", textColor={0,0,255}),
      Text(extent={{50,60},{90,20}}, textString="-", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end TableVoltage;

  model SupplyVoltage "Positive and negative supply"
    parameter SI.Voltage Vps = +15 "Positive supply";
    parameter SI.Voltage Vns = -15 "Negative supply";
    Interfaces.PositivePin pin_p "Positive supply"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin pin_n "Negative supply"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.NegativePin ground "Common pin"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  equation
    pin_p.v - ground.v = Vps;
    pin_n.v - ground.v = Vns;
    ground.i = -(pin_p.i + pin_n.i);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SupplyVoltage", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SupplyVoltage;

  model SignalCurrent "Current set by a signal"
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealInput i(unit="A") "Current from p to n"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
    SI.Voltage v "Voltage from p to n";
  equation
    v = p.v - n.v;
    p.i = i;
    n.i = -i;
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end SignalCurrent;

  model ConstantCurrent "Constant current"
    parameter SI.Current I(start=1) "Value";
    extends Interfaces.OnePort;
  equation
    i = I;
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,0},{30,0}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end ConstantCurrent;

  model StepCurrent "Step current"
    parameter SI.Current I(start=1) "Height";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Step signalSource(
      final height=I));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{0,-20},{0,20},{30,20}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end StepCurrent;

  model RampCurrent "Ramp current"
    parameter SI.Current I(start=1) "Height";
    parameter SI.Time duration(min=Modelica.Constants.small, start=2) "Duration of the ramp";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Ramp signalSource(
      final height=I, final duration=duration));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{-10,-20},{15,20},{30,20}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end RampCurrent;

  model SineCurrent "Sine current"
    parameter SI.Current I(start=1) "Amplitude";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Frequency f(start=1) "Frequency";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Sine signalSource(
      final amplitude=I, final f=f, final phase=phase));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,0},{-15,28},{0,0},{15,-28},{30,0}}, color={192,192,192}, smooth=Smooth.Bezier),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end SineCurrent;

  model CosineCurrent "Cosine current"
    parameter SI.Current I(start=1) "Amplitude";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Frequency f(start=1) "Frequency";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Cosine signalSource(
      final amplitude=I, final f=f, final phase=phase));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,20},{-15,0},{0,-20},{15,0},{30,20}}, color={192,192,192}, smooth=Smooth.Bezier),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end CosineCurrent;

  model SineCurrentVariableFrequencyAndAmplitude "Sine current whose frequency and amplitude are signals"
    extends Interfaces.OnePort;
    parameter Boolean useConstantAmplitude = false "Amplitude is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Current constantAmplitude = 1 "Amplitude, if constant";
    parameter Boolean useConstantFrequency = false "Frequency is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Frequency constantFrequency = 1 "Frequency, if constant";
    parameter SI.Current offset = 0 "Added to the wave";
    SI.Angle phi(start=0) "Phase";
    Modelica.Blocks.Interfaces.RealInput I(unit="A") if not useConstantAmplitude "Amplitude"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput f(unit="Hz") if not useConstantFrequency "Frequency"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    Modelica.Blocks.Interfaces.RealInput I_internal(unit="A") "Amplitude in use"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Modelica.Blocks.Interfaces.RealInput f_internal(unit="Hz") "Frequency in use"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  equation
    connect(I, I_internal);
    connect(f, f_internal);
    if useConstantAmplitude then
      I_internal = constantAmplitude;
    end if;
    if useConstantFrequency then
      f_internal = constantFrequency;
    end if;
    der(phi) = 2*Modelica.Constants.pi*f_internal;
    i = offset + I_internal*sin(phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SineCurrentVariableFrequencyAndAmplitude", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SineCurrentVariableFrequencyAndAmplitude;

  model CosineCurrentVariableFrequencyAndAmplitude "Cosine current whose frequency and amplitude are signals"
    extends Interfaces.OnePort;
    parameter Boolean useConstantAmplitude = false "Amplitude is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Current constantAmplitude = 1 "Amplitude, if constant";
    parameter Boolean useConstantFrequency = false "Frequency is the parameter, not the input" annotation(Evaluate=true);
    parameter SI.Frequency constantFrequency = 1 "Frequency, if constant";
    parameter SI.Current offset = 0 "Added to the wave";
    SI.Angle phi(start=0) "Phase";
    Modelica.Blocks.Interfaces.RealInput I(unit="A") if not useConstantAmplitude "Amplitude"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput f(unit="Hz") if not useConstantFrequency "Frequency"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    Modelica.Blocks.Interfaces.RealInput I_internal(unit="A") "Amplitude in use"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Modelica.Blocks.Interfaces.RealInput f_internal(unit="Hz") "Frequency in use"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  equation
    connect(I, I_internal);
    connect(f, f_internal);
    if useConstantAmplitude then
      I_internal = constantAmplitude;
    end if;
    if useConstantFrequency then
      f_internal = constantFrequency;
    end if;
    der(phi) = 2*Modelica.Constants.pi*f_internal;
    i = offset + I_internal*cos(phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="CosineCurrentVariableFrequencyAndAmplitude", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end CosineCurrentVariableFrequencyAndAmplitude;

  model ExpSineCurrent "Decaying sine current"
    parameter Real I(start=1) "Amplitude at startTime";
    parameter SI.Frequency f(start=2) "Frequency";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Damping damping(start=1) "Rate of decay";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.ExpSine signalSource(
      final amplitude=I, final f=f, final phase=phase, final damping=damping));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,0},{-20,26},{-8,-16},{4,10},{16,-6},{30,0}}, color={192,192,192}, smooth=Smooth.Bezier),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end ExpSineCurrent;

  model ExponentialsCurrent "Rising and falling exponential current"
    parameter Real iMax(start=1) "Limit of an endless rise";
    parameter SI.Time riseTime(min=0, start=0.5) "Duration of the rise";
    parameter SI.Time riseTimeConst(min=Modelica.Constants.small, start=0.1) "Time constant of the rise";
    parameter SI.Time fallTimeConst(min=Modelica.Constants.small, start=riseTimeConst) "Time constant of the fall";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Exponentials signalSource(
      final outMax=iMax, final riseTime=riseTime, final riseTimeConst=riseTimeConst, final fallTimeConst=fallTimeConst));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{-15,12},{0,20},{12,-6},{30,-18}}, color={192,192,192}, smooth=Smooth.Bezier),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end ExponentialsCurrent;

  model PulseCurrent "Rectangular pulses of current"
    parameter SI.Current I(start=1) "Amplitude";
    parameter Real width(final min=Modelica.Constants.small, final max=100, start=50) "Pulse width in percent of the period";
    parameter SI.Time period(final min=Modelica.Constants.small, start=1) "Period";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Pulse signalSource(
      final amplitude=I, final width=width, final period=period));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{-15,-20},{-15,20},{0,20},{0,-20},{15,-20},{15,20},{30,20}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end PulseCurrent;

  model SawToothCurrent "Saw teeth of current"
    parameter SI.Current I(start=1) "Amplitude";
    parameter SI.Time period(start=1) "Period";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.SawTooth signalSource(
      final amplitude=I, final period=period));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{0,20},{0,-20},{30,20},{30,-20}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end SawToothCurrent;

  model TrapezoidCurrent "Trapezoidal pulses of current"
    parameter SI.Current I(start=1) "Amplitude";
    parameter SI.Time rising(final min=0, start=0) "Duration of the rise";
    parameter SI.Time width(final min=0, start=0.5) "Duration of the plateau";
    parameter SI.Time falling(final min=0, start=0) "Duration of the fall";
    parameter SI.Time period(final min=Modelica.Constants.small, start=1) "Period";
    parameter Integer nperiod(start=-1) "Number of periods; negative means endless";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.Trapezoid signalSource(
      final amplitude=I, final rising=rising, final width=width, final falling=falling, final period=period, final nperiod=nperiod));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{-18,20},{6,20},{18,-20},{30,-20}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end TrapezoidCurrent;

  model LightningImpulseCurrent "Lightning impulse of current"
    parameter Types.ImpulseApproximation approximation = Types.ImpulseApproximation.Heidler "Shape";
    parameter SI.Current I "Amplitude";
    parameter SI.Time T1 = 10e-6 "Rise time";
    parameter SI.Time T2 = 350e-6 "Time until half the amplitude";
    parameter Integer m(final min=2) = 5 "Exponent of the Heidler function";
    extends Interfaces.CurrentSource(redeclare LightningImpulse signalSource(
      final approximation=approximation, final amplitude=I, final T1=T1, final T2=T2, final m=m));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{-22,20},{-8,2},{30,-16}}, color={192,192,192}, smooth=Smooth.Bezier),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end LightningImpulseCurrent;

  model TableCurrent "Piecewise linear current"
    parameter Real table[:, :] = [0, 0; 1, 1; 2, 4] "Times and values";
    extends Interfaces.CurrentSource(redeclare Modelica.Blocks.Sources.TimeTable signalSource(
      final table=table));
    annotation(Icon(graphics={
      Ellipse(extent={{-46,46},{46,-46}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-92,0},{-46,0}}, color={0,0,255}),
      Line(points={{46,0},{92,0}}, color={0,0,255}),
      Line(points={{0,46},{0,-46}}, color={0,0,255}),
      Line(points={{-30,-20},{-12,-4},{4,-10},{18,18},{30,10}}, color={192,192,192}),
      Polygon(points={{90,40},{60,52},{60,28}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Line(points={{10,40},{60,40}}, color={0,0,255}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,255})}));
  end TableCurrent;

  block LightningImpulse "Impulse given by rise time and time to half value"
    import Modelica.Electrical.Analog.Types.ImpulseApproximation;
    parameter ImpulseApproximation approximation = ImpulseApproximation.Heidler "Shape" annotation(Evaluate=true);
    parameter Real amplitude "Amplitude";
    parameter SI.Time T1 = 10e-6 "Rise time: 10 % to 90 % of the amplitude in 0.8 T1";
    parameter SI.Time T2 = 350e-6 "Time from the virtual start until half the amplitude";
    extends Modelica.Blocks.Interfaces.SignalSource;
    parameter Integer m(final min=2) = 5 "Exponent of the Heidler function" annotation(Evaluate=true);
  protected
    parameter Boolean double = approximation == ImpulseApproximation.DoubleExp annotation(Evaluate=true);
    parameter SI.Time T0 = if double then T1*T2/(T2 - T1)*log(T2/T1) else T1*(m*T2/T1)^(1/(m + 1)) "Guess of T";
    parameter Real eta(final min=Modelica.Constants.small, fixed=false, start=1) "Maximum of the shape";
    parameter SI.Time T(final min=Modelica.Constants.small, fixed=false, start=T0) "Time of the maximum";
    parameter SI.Time T10(final min=Modelica.Constants.small, fixed=false, start=if double then 0.01*T0 else 0.1*T0)
      "Time of 10 % of the amplitude";
    parameter SI.Time tau1(final min=Modelica.Constants.small, fixed=false, start=if double then T2 else T1)
      "First time constant";
    parameter SI.Time tau2(final min=Modelica.Constants.small, fixed=false, start=if double then T1 else T2)
      "Second time constant";

    function shape "Impulse without amplitude"
      input Boolean double "Difference of exponentials rather than Heidler";
      input Integer m "Exponent";
      input SI.Time t "Time since the start";
      input SI.Time tau1 "First time constant";
      input SI.Time tau2 "Second time constant";
      output Real y "Value";
    algorithm
      y := if double then exp(-t/tau1) - exp(-t/tau2) else (t/tau1)^m/(1 + (t/tau1)^m)*exp(-t/tau2);
      annotation(Inline=true);
    end shape;
  initial equation
    // the slope of the shape vanishes at its maximum
    if double then
      tau2*exp(-T/tau1) = tau1*exp(-T/tau2);
    else
      m*tau2 = T*(1 + (T/tau1)^m);
    end if;
    eta = shape(double, m, T, tau1, tau2);
    0.1*eta = shape(double, m, T10, tau1, tau2);
    0.9*eta = shape(double, m, T10 + 0.8*T1, tau1, tau2);
    0.5*eta = shape(double, m, T10 - 0.1*T1 + T2, tau1, tau2);
  equation
    y = offset + (if time < startTime then 0 else amplitude/eta*shape(double, m, time - startTime, tau1, tau2));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="LightningImpulse", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end LightningImpulse;

  model DCPowerSupply "Supply with limits of voltage, current and power"
    parameter SI.Voltage V0(final min=Modelica.Constants.eps) = 60 "Voltage without load";
    parameter SI.Current I0(final min=Modelica.Constants.eps) = 50 "Current at short circuit";
    parameter SI.Power P0(final min=Modelica.Constants.eps) = 1200 "Largest power";
    parameter SI.Resistance Rcv(final min=Modelica.Constants.eps) = 1e-3 "Inner resistance at constant voltage";
    parameter SI.Conductance Gcc(final min=Modelica.Constants.eps) = 1e-3 "Inner conductance at constant current";
    parameter SI.Current iBack = 1e-3 "Largest current into the supply";
    SI.Voltage v(start=V0) = p.v - n.v "Voltage";
    SI.Current i = p.i "Current from p to n";
    SI.Power P = v*i "Power into the supply";
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  protected
    // corner of the voltage and the current line, and whether the hyperbola of the power cuts it off
    final parameter SI.Voltage vCorner = (V0 - Rcv*I0)/(1 - Rcv*Gcc);
    final parameter SI.Current iCorner = (I0 - Gcc*V0)/(1 - Rcv*Gcc);
    final parameter Boolean cp = vCorner*iCorner > P0 "The power is limited";
    final parameter SI.Voltage vLim = if cp then (I0 - sqrt(max(0, I0^2 - 4*Gcc*P0)))/(2*Gcc) else vCorner
      "Constant current below";
    final parameter SI.Current iLim = if cp then (V0 - sqrt(max(0, V0^2 - 4*Rcv*P0)))/(2*Rcv) else iCorner
      "Constant voltage below";
    Boolean cv(start=true) "Constant voltage";
    Boolean cc(start=false) "Constant current";
  equation
    assert(Rcv < V0/I0 and Gcc < I0/V0, "DCPowerSupply: Rcv or Gcc is too large");
    assert(v >= 0, "DCPowerSupply: the voltage is negative");
    assert(i <= iBack, "DCPowerSupply: the current flows back");
    n.i = -p.i;
    cv = -i <= iLim;
    cc = v <= vLim;
    if cv then
      v = V0 + Rcv*i;
    elseif cc or not cp then
      i = Gcc*v - I0;
    else
      -v*i = P0;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="DCPowerSupply", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end DCPowerSupply;
end Sources;
