within Modelica.Blocks;
package Discrete "Sampled blocks"
  block Sampler "Value of the last sample"
    extends Interfaces.DiscreteSISO(y(start=0, fixed=true));
  equation
    when {initial(), sampleTrigger} then
      y = u;
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Sampler", textColor={0,0,127})}));
  end Sampler;

  block ZeroOrderHold "Value of the last sample, one event later"
    extends Interfaces.DiscreteSISO;
    output Real ySample(start=0, fixed=true) "Last sample";
  equation
    when {initial(), sampleTrigger} then
      ySample = u;
    end when;
    y = pre(ySample);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="ZeroOrderHold", textColor={0,0,127})}));
  end ZeroOrderHold;

  block FirstOrderHold "Straight line through the last two samples"
    extends Interfaces.DiscreteSISO;
  protected
    discrete SI.Time tSample "Time of the last sample";
    discrete Real uSample "Last sample";
    discrete Real pre_uSample "Last but one sample";
    discrete Real c "Slope";
  initial equation
    pre(tSample) = time;
    pre(uSample) = u;
    pre(pre_uSample) = u;
    pre(c) = 0;
  equation
    when sampleTrigger then
      tSample = time;
      uSample = u;
      pre_uSample = pre(uSample);
      c = if firstTrigger then 0 else (uSample - pre_uSample)/samplePeriod;
    end when;
    y = pre_uSample + pre(c)*(time - tSample);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="FirstOrderHold", textColor={0,0,127})}));
  end FirstOrderHold;

  block UnitDelay "Sample of one period ago"
    parameter Real y_start = 0 "Output until the first sample";
    extends Interfaces.DiscreteSISO;
  initial equation
    y = y_start;
  equation
    when sampleTrigger then
      y = pre(u);
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="1/z", textColor={0,0,127})}));
  end UnitDelay;

  block TransferFunction "Quotient of two polynomials in z"
    parameter Real b[:] = {1} "Numerator, highest power first";
    parameter Real a[:] = {1} "Denominator, highest power first";
    extends Interfaces.DiscreteSISO;
    output Real x[size(a, 1) - 1](each start=0, each fixed=true) "States, newest first";
  protected
    parameter Integer na = size(a, 1);
    parameter Integer nb = size(b, 1);
    parameter Real bb[na] = cat(1, zeros(na - nb), b) "Numerator of full length";
    discrete Real x1(start=0, fixed=true) "Newest value";
    discrete Real xext[size(a, 1)](each start=0, each fixed=true) "Newest value and states";
  equation
    when sampleTrigger then
      x1 = (u - a[2:na]*pre(x))/a[1];
      xext = cat(1, {x1}, pre(x));
      x = xext[1:na - 1];
      y = bb*xext;
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="b(s)/a(s)", textColor={0,0,127})}));
  end TransferFunction;

  block StateSpace "Linear difference equations"
    parameter Real A[:, size(A, 1)] = [1, 0; 0, 1] "States to states";
    parameter Real B[size(A, 1), :] = [1; 1] "Inputs to states";
    parameter Real C[:, size(A, 1)] = [1, 1] "States to outputs";
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2)) "Inputs to outputs";
    extends Interfaces.DiscreteMIMO(final nin=size(B, 2), final nout=size(C, 1));
    output Real x[size(A, 1)] "States";
  equation
    when sampleTrigger then
      x = A*pre(x) + B*u;
      y = C*pre(x) + D*u;
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="A B C D", textColor={0,0,127})}));
  end StateSpace;

  block TriggeredSampler "Value at the last rising trigger"
    extends Icons.DiscreteBlock;
    parameter Real y_start = 0 "Output until the first trigger";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    Interfaces.BooleanInput trigger "A rising edge takes a sample"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  initial equation
    y = y_start;
  equation
    when trigger then
      y = u;
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="TriggeredSampler", textColor={0,0,127})}));
  end TriggeredSampler;

  block TriggeredMax "Largest absolute value at the triggers"
    extends Icons.DiscreteBlock;
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    Interfaces.BooleanInput trigger "A rising edge takes a sample"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  initial equation
    y = 0;
  equation
    when trigger then
      y = max(pre(y), abs(u));
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="TriggeredMax", textColor={0,0,127})}));
  end TriggeredMax;
end Discrete;
