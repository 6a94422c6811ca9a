within Modelica.Blocks;
package Logical "Boolean logic, comparisons and switches"
  block And "True when both inputs are true"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = u1 and u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="and", textColor={255,0,255})}));
  end And;

  block Or "True when an input is true"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = u1 or u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="or", textColor={255,0,255})}));
  end Or;

  block Xor "True when the inputs differ"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = u1 <> u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="xor", textColor={255,0,255})}));
  end Xor;

  block Nor "True when both inputs are false"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = not (u1 or u2);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="nor", textColor={255,0,255})}));
  end Nor;

  block Nand "False when both inputs are true"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = not (u1 and u2);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="nand", textColor={255,0,255})}));
  end Nand;

  block Not "Opposite of the input"
    extends Interfaces.partialBooleanSISO;
  equation
    y = not u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="not", textColor={255,0,255})}));
  end Not;

  block Pre "Input one event iteration before; breaks algebraic loops of Booleans"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = pre(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Pre", textColor={255,0,255})}));
  end Pre;

  block Edge "True when the input becomes true"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = edge(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Edge", textColor={255,0,255})}));
  end Edge;

  block FallingEdge "True when the input becomes false"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = pre(u) and not u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="FallingEdge", textColor={255,0,255})}));
  end FallingEdge;

  block Change "True when the input changes"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = change(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Change", textColor={255,0,255})}));
  end Change;

  block GreaterThreshold "Whether u > threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u > threshold;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString=">", textColor={255,0,255})}));
  end GreaterThreshold;

  block GreaterEqualThreshold "Whether u >= threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u >= threshold;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="≥", textColor={255,0,255})}));
  end GreaterEqualThreshold;

  block LessThreshold "Whether u < threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u < threshold;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="<", textColor={255,0,255})}));
  end LessThreshold;

  block LessEqualThreshold "Whether u <= threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u <= threshold;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="≤", textColor={255,0,255})}));
  end LessEqualThreshold;

  block Greater "Whether u1 > u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 > u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString=">", textColor={255,0,255})}));
  end Greater;

  block GreaterEqual "Whether u1 >= u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 >= u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="≥", textColor={255,0,255})}));
  end GreaterEqual;

  block Less "Whether u1 < u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 < u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="<", textColor={255,0,255})}));
  end Less;

  block LessEqual "Whether u1 <= u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 <= u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="≤", textColor={255,0,255})}));
  end LessEqual;

  block ZeroCrossing "True for one instant when the input passes zero"
    extends Interfaces.partialBooleanSO;
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.BooleanInput enable "Crossings count only while this is true"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  protected
    Boolean u_pos "Enabled and not negative";
  initial equation
    pre(u_pos) = false;
    pre(enable) = false;
  equation
    u_pos = enable and u >= 0;
    y = change(u_pos) and not change(enable);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="ZeroCrossing", textColor={255,0,255})}));
  end ZeroCrossing;

  block LogicalSwitch "u1 if u2, else u3"
    extends Interfaces.partialBooleanSI3SO;
  equation
    y = if u2 then u1 else u3;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-100,80},{-40,80},{-40,40},{30,4}}, color={0,0,127}, thickness=0.5),
      Line(points={{-100,-80},{-40,-80},{-40,-30}}, color={0,0,127}),
      Line(points={{30,0},{100,0}}, color={0,0,127})}));
  end LogicalSwitch;

  block Switch "Real input u1 if u2, else u3"
    extends Icons.PartialBooleanBlock;
    Interfaces.RealInput u1 "Input for true"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.BooleanInput u2 "Selects"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealInput u3 "Input for false"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = if u2 then u1 else u3;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-100,80},{-40,80},{-40,40},{30,4}}, color={0,0,127}, thickness=0.5),
      Line(points={{-100,-80},{-40,-80},{-40,-30}}, color={0,0,127}),
      Line(points={{30,0},{100,0}}, color={0,0,127})}));
  end Switch;

  block Hysteresis "True above uHigh, false below uLow, unchanged between"
    extends Icons.PartialBooleanBlock;
    parameter Real uLow(start=0) "Lower limit";
    parameter Real uHigh(start=1) "Upper limit";
    parameter Boolean pre_y_start = false "Output before the start";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  initial equation
    pre(y) = pre_y_start;
  equation
    assert(uHigh > uLow, "Hysteresis: uHigh must be greater than uLow");
    y = u > uHigh or pre(y) and u >= uLow;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-50},{30,-50},{30,50}}, color={255,0,255}, thickness=0.5),
      Line(points={{80,50},{-30,50},{-30,-50}}, color={255,0,255}, thickness=0.5)}));
  end Hysteresis;

  block OnOffController "True when the input is too small, with a band around the reference"
    extends Icons.PartialBooleanBlock;
    Interfaces.RealInput reference "Wanted value"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u "Actual value"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.BooleanOutput y "Switched on"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    parameter Real bandwidth(start=0.1) "Width of the band";
    parameter Boolean pre_y_start = false "Output before the start";
  initial equation
    pre(y) = pre_y_start;
  equation
    y = u < reference - bandwidth/2 or pre(y) and u < reference + bandwidth/2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="OnOffController", textColor={255,0,255})}));
  end OnOffController;

  block TriggeredTrapezoid "Ramp up while the input is true, down while it is false"
    extends Icons.PartialBooleanBlock;
    parameter Real amplitude = 1 "Height";
    parameter SI.Time rising(final min=0) = 0 "Time of a full rise";
    parameter SI.Time falling(final min=0) = rising "Time of a full fall";
    parameter Real offset = 0 "Output while at rest";
    Interfaces.BooleanInput u "Direction"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    discrete Real endValue "Goal";
    discrete Real slope "Slope towards the goal";
    discrete SI.Time T "Time at which the goal is reached";
  initial equation
    pre(endValue) = if u then offset + amplitude else offset;
    pre(slope) = 0;
    pre(T) = time;
  equation
    when {u, not u} then
      endValue = if u then offset + amplitude else offset;
      slope = if u then (if rising > 0 then amplitude/rising else 0)
        else (if falling > 0 then -amplitude/falling else 0);
      T = if abs(slope) < Modelica.Constants.small then time else time + (endValue - pre(y))/slope;
    end when;
    y = if time < T then endValue - slope*(T - time) else endValue;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="TriggeredTrapezoid", textColor={255,0,255})}));
  end TriggeredTrapezoid;

  block Timer "Time since the input became true"
    extends Icons.PartialBooleanBlock;
    Interfaces.BooleanInput u "Runs the clock"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Time"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    discrete SI.Time entryTime "Time at which the input became true";
  initial equation
    pre(entryTime) = 0;
  equation
    when u then
      entryTime = time;
    end when;
    y = if u then time - entryTime else 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Timer", textColor={255,0,255})}));
  end Timer;

  block LogicalDelay "Delays falling edges in y1 and rising edges in y2"
    extends Icons.PartialBooleanBlock;
    parameter SI.Time delayTime(final min=0) = 0 "Delay";
    Interfaces.BooleanInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.BooleanOutput y1 "True until the delay after a falling edge"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.BooleanOutput y2 "True from the delay after a rising edge"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
  protected
    discrete SI.Time tSwitch "Time of the last change";
    Boolean settled "The delay is over";
  initial equation
    tSwitch = time - 2*delayTime;
  equation
    when {u, not u} then
      tSwitch = time;
    end when;
    settled = time >= tSwitch + delayTime;
    y1 = u or not settled;
    y2 = u and settled;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="LogicalDelay", textColor={255,0,255})}));
  end LogicalDelay;

  block RSFlipFlop "Stores one bit: set by S, reset by R"
    extends Icons.PartialBooleanBlock;
    parameter Boolean Qini = false "Stored bit at the start";
    Interfaces.BooleanOutput Q "Stored bit"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.BooleanOutput QI "Opposite of the stored bit"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    Interfaces.BooleanInput S "Set"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.BooleanInput R "Reset"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  protected
    Boolean notQ "Opposite of the stored bit, not delayed";
  initial equation
    pre(notQ) = not Qini;
  equation
    Q = not (R or QI);
    notQ = not (S or Q);
    QI = pre(notQ);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RSFlipFlop", textColor={255,0,255})}));
  end RSFlipFlop;

  block AssertCondition "Message or stop when the input becomes false"
    extends Interfaces.partialBooleanSI;
    parameter String message = "" "Message";
    parameter AssertionLevel assertionLevel = AssertionLevel.error "What to do";
  equation
    assert(u, message, assertionLevel);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="AssertCondition", textColor={255,0,255})}));
  end AssertCondition;

  block TerminateSimulation "Ends the simulation when a condition becomes true"
    Interfaces.BooleanOutput condition = false "Condition, given by a modifier"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    parameter String terminationText = "The end condition is true" "Message at the end";
  equation
    when condition then
      terminate(terminationText);
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="TerminateSimulation", textColor={255,0,255})}));
  end TerminateSimulation;
end Logical;
