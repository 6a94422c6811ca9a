within Modelica.Blocks;
package Math "Mathematical operations on Real signals"
  package UnitConversions "Signals from and to other units"
    block To_degC "K to degC"
      extends Interfaces.PartialConversionBlock(u(unit="K"), y(unit="degC"));
    equation
      y = Modelica.Units.Conversions.to_degC(u);
    end To_degC;

    block From_degC "degC to K"
      extends Interfaces.PartialConversionBlock(u(unit="degC"), y(unit="K"));
    equation
      y = Modelica.Units.Conversions.from_degC(u);
    end From_degC;

    block To_degF "K to degF"
      extends Interfaces.PartialConversionBlock(u(unit="K"), y(unit="degF"));
    equation
      y = Modelica.Units.Conversions.to_degF(u);
    end To_degF;

    block From_degF "degF to K"
      extends Interfaces.PartialConversionBlock(u(unit="degF"), y(unit="K"));
    equation
      y = Modelica.Units.Conversions.from_degF(u);
    end From_degF;

    block To_degRk "K to degRk"
      extends Interfaces.PartialConversionBlock(u(unit="K"), y(unit="degRk"));
    equation
      y = Modelica.Units.Conversions.to_degRk(u);
    end To_degRk;

    block From_degRk "degRk to K"
      extends Interfaces.PartialConversionBlock(u(unit="degRk"), y(unit="K"));
    equation
      y = Modelica.Units.Conversions.from_degRk(u);
    end From_degRk;

    block To_deg "rad to deg"
      extends Interfaces.PartialConversionBlock(u(unit="rad"), y(unit="deg"));
    equation
      y = Modelica.Units.Conversions.to_deg(u);
    end To_deg;

    block From_deg "deg to rad"
      extends Interfaces.PartialConversionBlock(u(unit="deg"), y(unit="rad"));
    equation
      y = Modelica.Units.Conversions.from_deg(u);
    end From_deg;

    block To_rpm "rad/s to rev/min"
      extends Interfaces.PartialConversionBlock(u(unit="rad/s"), y(unit="rev/min"));
    equation
      y = Modelica.Units.Conversions.to_rpm(u);
    end To_rpm;

    block From_rpm "rev/min to rad/s"
      extends Interfaces.PartialConversionBlock(u(unit="rev/min"), y(unit="rad/s"));
    equation
      y = Modelica.Units.Conversions.from_rpm(u);
    end From_rpm;

    block To_kmh "m/s to km/h"
      extends Interfaces.PartialConversionBlock(u(unit="m/s"), y(unit="km/h"));
    equation
      y = Modelica.Units.Conversions.to_kmh(u);
    end To_kmh;

    block From_kmh "km/h to m/s"
      extends Interfaces.PartialConversionBlock(u(unit="km/h"), y(unit="m/s"));
    equation
      y = Modelica.Units.Conversions.from_kmh(u);
    end From_kmh;

    block To_day "s to d"
      extends Interfaces.PartialConversionBlock(u(unit="s"), y(unit="d"));
    equation
      y = Modelica.Units.Conversions.to_day(u);
    end To_day;

    block From_day "d to s"
      extends Interfaces.PartialConversionBlock(u(unit="d"), y(unit="s"));
    equation
      y = Modelica.Units.Conversions.from_day(u);
    end From_day;

    block To_hour "s to h"
      extends Interfaces.PartialConversionBlock(u(unit="s"), y(unit="h"));
    equation
      y = Modelica.Units.Conversions.to_hour(u);
    end To_hour;

    block From_hour "h to s"
      extends Interfaces.PartialConversionBlock(u(unit="h"), y(unit="s"));
    equation
      y = Modelica.Units.Conversions.from_hour(u);
    end From_hour;

    block To_minute "s to min"
      extends Interfaces.PartialConversionBlock(u(unit="s"), y(unit="min"));
    equation
      y = Modelica.Units.Conversions.to_minute(u);
    end To_minute;

    block From_minute "min to s"
      extends Interfaces.PartialConversionBlock(u(unit="min"), y(unit="s"));
    equation
      y = Modelica.Units.Conversions.from_minute(u);
    end From_minute;

    block To_litre "m3 to l"
      extends Interfaces.PartialConversionBlock(u(unit="m3"), y(unit="l"));
    equation
      y = Modelica.Units.Conversions.to_litre(u);
    end To_litre;

    block From_litre "l to m3"
      extends Interfaces.PartialConversionBlock(u(unit="l"), y(unit="m3"));
    equation
      y = Modelica.Units.Conversions.from_litre(u);
    end From_litre;

    block To_kWh "J to kW.h"
      extends Interfaces.PartialConversionBlock(u(unit="J"), y(unit="kW.h"));
    equation
      y = Modelica.Units.Conversions.to_kWh(u);
    end To_kWh;

    block From_kWh "kW.h to J"
      extends Interfaces.PartialConversionBlock(u(unit="kW.h"), y(unit="J"));
    equation
      y = Modelica.Units.Conversions.from_kWh(u);
    end From_kWh;

    block To_bar "Pa to bar"
      extends Interfaces.PartialConversionBlock(u(unit="Pa"), y(unit="bar"));
    equation
      y = Modelica.Units.Conversions.to_bar(u);
    end To_bar;

    block From_bar "bar to Pa"
      extends Interfaces.PartialConversionBlock(u(unit="bar"), y(unit="Pa"));
    equation
      y = Modelica.Units.Conversions.from_bar(u);
    end From_bar;

    block To_gps "kg/s to g/s"
      extends Interfaces.PartialConversionBlock(u(unit="kg/s"), y(unit="g/s"));
    equation
      y = Modelica.Units.Conversions.to_gps(u);
    end To_gps;

    block From_gps "g/s to kg/s"
      extends Interfaces.PartialConversionBlock(u(unit="g/s"), y(unit="kg/s"));
    equation
      y = Modelica.Units.Conversions.from_gps(u);
    end From_gps;
  end UnitConversions;

  block InverseBlockConstraints "Makes a block run backwards: its output is given, its input is sought"
    Interfaces.RealInput u1 "Known signal"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2 "Output of the block that is inverted"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealOutput y1 "Input of the block that is inverted, found"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.RealOutput y2 "To be connected to the input of that block"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
  equation
    u2 = u1;
    y2 = y1;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="InverseBlockConstraints", textColor={0,0,127})}));
  end InverseBlockConstraints;

  block Gain "Input times a constant"
    parameter Real k(start=1) "Gain";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = k*u;
    annotation(Icon(graphics={
      Polygon(points={{-100,-92},{-100,92},{100,0}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-92,26},{26,-26}}, textString="%k", textColor={0,0,127}),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255})}));
  end Gain;

  block MatrixGain "Input vector times a matrix"
    parameter Real K[:, :] = [1, 0; 0, 1] "Gain";
    extends Interfaces.MIMO(final nin=size(K, 2), final nout=size(K, 1));
  equation
    y = K*u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="MatrixGain", textColor={0,0,127})}));
  end MatrixGain;

  block MultiSum "Weighted sum of any number of inputs"
    extends Interfaces.PartialRealMISO;
    parameter Real k[nu] = fill(1, nu) "Weights";
  equation
    y = sum(k[i]*u[i] for i in 1:nu);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Σ", textColor={0,0,127})}));
  end MultiSum;

  block MultiProduct "Product of any number of inputs"
    extends Interfaces.PartialRealMISO;
  equation
    y = if nu > 0 then product(u) else 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Π", textColor={0,0,127})}));
  end MultiProduct;

  block MultiSwitch "Expression of the first true input"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    input Real expr[nu] = fill(0.0, nu) "Output while the input of the same number is the first true one";
    parameter Real y_default = 0.0 "Output when no input is true";
    parameter Integer precision(min=0) = 3 "Digits shown by a graphical editor";
    Interfaces.BooleanVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    Integer firstActiveIndex = Modelica.Math.BooleanVectors.firstTrueIndex(u) "Number of the first true input, or 0";
  equation
    y = y_default + sum((if firstActiveIndex == i then expr[i] - y_default else 0) for i in 1:nu);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="MultiSwitch", textColor={0,0,127})}));
  end MultiSwitch;

  block Sum "Weighted sum of a vector"
    extends Interfaces.MISO;
    parameter Real k[nin] = ones(nin) "Weights";
  equation
    y = k*u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Σ", textColor={0,0,127})}));
  end Sum;

  block Feedback "Difference of two signals"
    Interfaces.RealInput u1 "Reference"
      annotation(Placement(transformation(extent={{-100,-20},{-60,20}})));
    Interfaces.RealInput u2 "Feedback"
      annotation(Placement(transformation(origin={0,-80}, extent={{-20,-20},{20,20}}, rotation=90)));
    Interfaces.RealOutput y "Difference"
      annotation(Placement(transformation(extent={{80,-10},{100,10}})));
  equation
    y = u1 - u2;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-20,0}}, color={0,0,127}),
      Line(points={{20,0},{80,0}}, color={0,0,127}),
      Line(points={{0,-20},{0,-60}}, color={0,0,127}),
      Ellipse(extent={{-20,20},{20,-20}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{6,-26},{46,-56}}, textString="-", textColor={0,0,127}),
      Text(extent={{-150,94},{150,44}}, textString="%name", textColor={0,0,255})}));
  end Feedback;

  block Add "Weighted sum of two inputs"
    extends Interfaces.SI2SO;
    parameter Real k1 = +1 "Weight of u1";
    parameter Real k2 = +1 "Weight of u2";
  equation
    y = k1*u1 + k2*u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="+", textColor={0,0,127})}));
  end Add;

  block Add3 "Weighted sum of three inputs"
    extends Icons.Block;
    parameter Real k1 = +1 "Weight of u1";
    parameter Real k2 = +1 "Weight of u2";
    parameter Real k3 = +1 "Weight of u3";
    Interfaces.RealInput u1 "First input"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2 "Second input"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealInput u3 "Third input"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = k1*u1 + k2*u2 + k3*u3;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="+", textColor={0,0,127})}));
  end Add3;

  block Product "Product of two inputs"
    extends Interfaces.SI2SO;
  equation
    y = u1*u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="×", textColor={0,0,127})}));
  end Product;

  block Division "Quotient of two inputs"
    extends Interfaces.SI2SO;
  equation
    y = u1/u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="÷", textColor={0,0,127})}));
  end Division;

  block Abs "Absolute value"
    extends Interfaces.SISO;
    parameter Boolean generateEvent = false "Make an event at zero";
  equation
    if generateEvent then
      y = if u < 0 then -u else u;
    else
      y = noEvent(if u < 0 then -u else u);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="|u|", textColor={0,0,127})}));
  end Abs;

  block Sign "Sign"
    extends Interfaces.SISO;
    parameter Boolean generateEvent = false "Make events at zero";
  equation
    if generateEvent then
      y = if u > 0 then 1 elseif u < 0 then -1 else 0;
    else
      y = noEvent(if u > 0 then 1 elseif u < 0 then -1 else 0);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Sign", textColor={0,0,127})}));
  end Sign;

  block Sqrt "Square root"
    extends Interfaces.SISO;
  equation
    y = sqrt(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="√", textColor={0,0,127})}));
  end Sqrt;

  block Sin "Sine"
    extends Interfaces.SISO(u(unit="rad"));
  equation
    y = sin(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Sin", textColor={0,0,127})}));
  end Sin;

  block Cos "Cosine"
    extends Interfaces.SISO(u(unit="rad"));
  equation
    y = cos(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Cos", textColor={0,0,127})}));
  end Cos;

  block Tan "Tangent"
    extends Interfaces.SISO(u(unit="rad"));
  equation
    y = tan(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Tan", textColor={0,0,127})}));
  end Tan;

  block Asin "Inverse sine"
    extends Interfaces.SISO(y(unit="rad"));
  equation
    y = asin(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Asin", textColor={0,0,127})}));
  end Asin;

  block Acos "Inverse cosine"
    extends Interfaces.SISO(y(unit="rad"));
  equation
    y = acos(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Acos", textColor={0,0,127})}));
  end Acos;

  block Atan "Inverse tangent"
    extends Interfaces.SISO(y(unit="rad"));
  equation
    y = atan(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Atan", textColor={0,0,127})}));
  end Atan;

  block Sinh "Hyperbolic sine"
    extends Interfaces.SISO;
  equation
    y = sinh(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Sinh", textColor={0,0,127})}));
  end Sinh;

  block Cosh "Hyperbolic cosine"
    extends Interfaces.SISO;
  equation
    y = cosh(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Cosh", textColor={0,0,127})}));
  end Cosh;

  block Tanh "Hyperbolic tangent"
    extends Interfaces.SISO;
  equation
    y = tanh(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Tanh", textColor={0,0,127})}));
  end Tanh;

  block Exp "Exponential"
    extends Interfaces.SISO;
  equation
    y = exp(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Exp", textColor={0,0,127})}));
  end Exp;

  block Log10 "Logarithm to base 10"
    extends Interfaces.SISO;
  equation
    y = log10(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Log10", textColor={0,0,127})}));
  end Log10;

  block Atan2 "Angle of the vector (u2, u1)"
    extends Interfaces.SI2SO(y(unit="rad"));
  equation
    y = atan2(u1, u2);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Atan2", textColor={0,0,127})}));
  end Atan2;

  block Power "Constant base to the power of the input"
    extends Interfaces.SISO;
    parameter Real base = Modelica.Constants.e "Base";
    parameter Boolean useExp = true "Compute by exp and log, which needs a positive base";
  equation
    y = if useExp then exp(log(base)*u) else base^u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Power", textColor={0,0,127})}));
  end Power;

  block Exponentiation "Input to the power of a constant"
    extends Interfaces.SISO;
    parameter Real exponent = 2 "Exponent";
  equation
    y = u^exponent;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="uᵖ", textColor={0,0,127})}));
  end Exponentiation;

  block Log "Logarithm to any base"
    extends Interfaces.SISO;
    parameter Real base = Modelica.Constants.e "Base";
  equation
    y = log(u)/log(base);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Log", textColor={0,0,127})}));
  end Log;

  block WrapAngle "Angle brought into one turn"
    extends Interfaces.SISO(u(unit="rad"), y(unit="rad"));
    parameter Boolean positiveRange = false "Result in [0, 2 pi) rather than (-pi, pi]";
  equation
    y = Modelica.Math.wrapAngle(u, positiveRange);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="WrapAngle", textColor={0,0,127})}));
  end WrapAngle;

  block RealToInteger "Nearest Integer; halves go away from zero"
    extends Icons.IntegerBlock;
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = if u > 0 then integer(floor(u + 0.5)) else integer(ceil(u - 0.5));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RealToInteger", textColor={0,0,127})}));
  end RealToInteger;

  block IntegerToReal "Integer as Real"
    extends Icons.Block;
    Interfaces.IntegerInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="IntegerToReal", textColor={0,0,127})}));
  end IntegerToReal;

  block BooleanToReal "One of two Real values"
    extends Interfaces.partialBooleanSI;
    parameter Real realTrue = 1.0 "Output for true";
    parameter Real realFalse = 0.0 "Output for false";
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = if u then realTrue else realFalse;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanToReal", textColor={0,0,127})}));
  end BooleanToReal;

  block BooleanToInteger "One of two Integer values"
    extends Interfaces.partialBooleanSI;
    parameter Integer integerTrue = 1 "Output for true";
    parameter Integer integerFalse = 0 "Output for false";
    Interfaces.IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = if u then integerTrue else integerFalse;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanToInteger", textColor={0,0,127})}));
  end BooleanToInteger;

  block RealToBoolean "Whether the input reaches a threshold"
    extends Interfaces.partialBooleanSO;
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    parameter Real threshold = 0.5 "Threshold";
  equation
    y = u >= threshold;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RealToBoolean", textColor={0,0,127})}));
  end RealToBoolean;

  block IntegerToBoolean "Whether the Integer input reaches a threshold"
    extends Interfaces.partialBooleanSO;
    Interfaces.IntegerInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    parameter Integer threshold = 1 "Threshold";
  equation
    y = u >= threshold;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="IntegerToBoolean", textColor={0,0,127})}));
  end IntegerToBoolean;

  block RectangularToPolar "Real and imaginary part to length and angle"
    extends Icons.Block;
    Interfaces.RealInput u_re "Real part"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput u_im "Imaginary part"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealOutput y_abs "Length"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y_arg(unit="rad") "Angle"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
  equation
    y_abs = sqrt(u_re^2 + u_im^2);
    y_arg = atan2(u_im, u_re);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RectangularToPolar", textColor={0,0,127})}));
  end RectangularToPolar;

  block PolarToRectangular "Length and angle to real and imaginary part"
    extends Icons.Block;
    Interfaces.RealInput u_abs "Length"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput u_arg(unit="rad") "Angle"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealOutput y_re "Real part"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y_im "Imaginary part"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
  equation
    y_re = u_abs*cos(u_arg);
    y_im = u_abs*sin(u_arg);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="PolarToRectangular", textColor={0,0,127})}));
  end PolarToRectangular;

  block Mean "Mean over the last full period"
    extends Interfaces.SISO;
    parameter SI.Frequency f(start=50) "Base frequency";
    parameter Real x0 = 0 "Start value of the integral";
    parameter Real y0 = 0 "Output during the first period";
    parameter Boolean yGreaterOrEqualZero = false "Cut off negative results";
  protected
    parameter SI.Time t0(fixed=false) "Begin of the simulation";
    Real x "Integral over the running period";
    discrete Real y_last "Mean of the last period";
  initial equation
    t0 = time;
    x = x0;
    y_last = y0;
  equation
    der(x) = u;
    when sample(t0 + 1/f, 1/f) then
      y_last = if yGreaterOrEqualZero then max(0, f*pre(x)) else f*pre(x);
      reinit(x, 0);
    end when;
    y = y_last;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Mean", textColor={0,0,127})}));
  end Mean;

  block RectifiedMean "Mean of the absolute value over the last full period"
    extends Interfaces.SISO;
    parameter SI.Frequency f(start=50) "Base frequency";
    parameter Real x0 = 0 "Start value of the integral";
    parameter Real y0(final min=0) = 0 "Output during the first period";
    Mean mean(final f=f, final x0=x0, final y0=y0) "Averaging";
    Abs abs1 "Rectification";
  equation
    connect(u, abs1.u);
    connect(abs1.y, mean.u);
    connect(mean.y, y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RectifiedMean", textColor={0,0,127})}));
  end RectifiedMean;

  block ContinuousMean "Mean since the start"
    extends Icons.Block;
    parameter SI.Time t_eps(min=0) = 1e-7 "Averaging begins this time after the start";
    parameter Real startTime = -Modelica.Constants.inf "Averaging begins not before this time";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Mean"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    Real average(start=0, fixed=true) "Mean so far";
    Real weight "Weight of the present value";
    parameter Real t_0(fixed=false) "Begin of the simulation";
    parameter Real actualStartTime = max(t_0, startTime) "Begin of the averaging";
  initial equation
    t_0 = time;
  equation
    weight = noEvent(if time > actualStartTime + t_eps then 1/(time - actualStartTime) else 0);
    der(average) = weight*(u - average);
    y = noEvent(if weight > 0 then average else u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="ContinuousMean", textColor={0,0,127})}));
  end ContinuousMean;

  block RootMeanSquare "Effective value over the last full period"
    extends Interfaces.SISO;
    parameter SI.Frequency f(start=50) "Base frequency";
    parameter Real x0 = 0 "Start value of the integral";
    parameter Real y0(final min=0) = 0 "Output during the first period";
    Mean mean(final f=f, final x0=x0, final y0=y0^2, final yGreaterOrEqualZero=true) "Averaging of the square";
  equation
    mean.u = u^2;
    y = sqrt(mean.y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RMS", textColor={0,0,127})}));
  end RootMeanSquare;

  block SignalExtrema "Sampled minimum and maximum"
    extends Icons.Block;
    parameter SI.Time Ts(start=0.01) "Sample period";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y_min "Smallest sample"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y_max "Largest sample"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    discrete SI.Time t_min "Time of the smallest sample";
    discrete SI.Time t_max "Time of the largest sample";
  protected
    parameter SI.Time t0(fixed=false) "Begin of the simulation";
  initial equation
    t0 = time;
    y_min = u;
    y_max = u;
    t_min = time;
    t_max = time;
  equation
    when sample(t0 + Ts, Ts) then
      y_min = if u < pre(y_min) then u else pre(y_min);
      y_max = if u > pre(y_max) then u else pre(y_max);
      t_min = if u < pre(y_min) then time else pre(t_min);
      t_max = if u > pre(y_max) then time else pre(t_max);
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="SignalExtrema", textColor={0,0,127})}));
  end SignalExtrema;

  block ContinuousSignalExtrema "Minimum and maximum, found where the slope changes sign"
    extends Icons.Block;
    parameter SI.Time T(min=Modelica.Constants.small) = 1e-6 "Time constant of the slope filter";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y_min "Smallest extremum"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y_max "Largest extremum"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    output SI.Time t_min "Time of the smallest extremum";
    output SI.Time t_max "Time of the largest extremum";
  protected
    Real x "Input through a fast first-order lag";
  initial equation
    x = u;
    y_min = u;
    y_max = u;
    t_min = time;
    t_max = time;
  equation
    T*der(x) = u - x;
    when {u >= x, u <= x} then
      y_min = if u < pre(y_min) then u else pre(y_min);
      y_max = if u > pre(y_max) then u else pre(y_max);
      t_min = if u < pre(y_min) then time else pre(t_min);
      t_max = if u > pre(y_max) then time else pre(t_max);
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="ContinuousSignalExtrema", textColor={0,0,127})}));
  end ContinuousSignalExtrema;

  block Variance "Variance since the start"
    extends Icons.Block;
    parameter SI.Time t_eps(min=100*Modelica.Constants.eps) = 1e-7 "Begins this time after the start";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Variance"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    Real mu "Mean so far";
    Real var "Variance so far";
    Real weight "Weight of the present value";
    parameter Real t_0(fixed=false) "Begin of the simulation";
  initial equation
    t_0 = time;
    mu = u;
    var = 0;
  equation
    weight = noEvent(if time > t_0 + t_eps then 1/(time - t_0) else 0);
    der(mu) = weight*(u - mu);
    der(var) = weight*((u - mu)^2 - var);
    y = noEvent(if var > 0 then var else 0);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="σ²", textColor={0,0,127})}));
  end Variance;

  block StandardDeviation "Standard deviation since the start"
    extends Icons.Block;
    parameter SI.Time t_eps(min=100*Modelica.Constants.eps) = 1e-7 "Begins this time after the start";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y "Standard deviation"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    Variance variance(t_eps=t_eps) "Variance";
  equation
    connect(u, variance.u);
    y = sqrt(variance.y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="σ", textColor={0,0,127})}));
  end StandardDeviation;

  block Harmonic "One harmonic of a periodic signal"
    extends Icons.Block;
    parameter SI.Frequency f(start=50) "Base frequency";
    parameter Integer k(start=1) "Number of the harmonic";
    parameter Boolean useConjugateComplex = false "Change the sign of the angle";
    parameter Real x0Cos = 0 "Start value of the cosine integral";
    parameter Real x0Sin = 0 "Start value of the sine integral";
    parameter Real y0Cos = 0 "Cosine part during the first period";
    parameter Real y0Sin = 0 "Sine part during the first period";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y_rms "Effective value of the harmonic"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y_arg(unit="rad") "Angle of the harmonic"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    Mean mean1(final f=f, final x0=x0Cos, final y0=y0Cos) "Cosine part";
    Mean mean2(final f=f, final x0=x0Sin, final y0=y0Sin) "Sine part";
  protected
    SI.Angle phi = 2*Modelica.Constants.pi*k*f*time "Angle of the reference wave";
  equation
    mean1.u = sqrt(2)*cos(phi)*u;
    mean2.u = sqrt(2)*sin(phi)*u;
    y_rms = sqrt(mean1.y^2 + mean2.y^2);
    y_arg = (if useConjugateComplex then -1 else 1)*atan2(mean2.y, mean1.y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Harmonic", textColor={0,0,127})}));
  end Harmonic;

  block TotalHarmonicDistortion "Effective value of the harmonics relative to the base wave"
    extends Interfaces.SISO;
    parameter SI.Frequency f(start=1) "Base frequency";
    parameter Boolean useFirstHarmonic = true "Relative to the first harmonic rather than to the whole signal";
    Interfaces.BooleanOutput valid "The output has a meaning"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Harmonic harmonic(final f=f, final k=1) "First harmonic";
    RootMeanSquare rootMeanSquare(final f=f) "Whole signal";
    Pythagoras pythagoras(u1IsHypotenuse=true) "What is not in the first harmonic";
  equation
    connect(u, harmonic.u);
    connect(u, rootMeanSquare.u);
    connect(rootMeanSquare.y, pythagoras.u1);
    connect(harmonic.y_rms, pythagoras.u2);
    valid = pythagoras.valid and harmonic.y_rms > 0;
    y = pythagoras.y/max(Modelica.Constants.eps, if useFirstHarmonic then harmonic.y_rms else rootMeanSquare.y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="THD", textColor={0,0,127})}));
  end TotalHarmonicDistortion;

  block Pythagoras "Third side of a rectangular triangle"
    extends Interfaces.SI2SO;
    parameter Boolean u1IsHypotenuse = false "u1 is the longest side";
    Interfaces.BooleanOutput valid "There is such a triangle"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
  protected
    Real y2 "Square of the output";
  equation
    y2 = if u1IsHypotenuse then u1^2 - u2^2 else u1^2 + u2^2;
    valid = y2 >= 0;
    y = noEvent(if y2 > 0 then sqrt(y2) else 0);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="c", textColor={0,0,127})}));
  end Pythagoras;

  block Max "Larger of two inputs"
    extends Interfaces.SI2SO;
  equation
    y = max(u1, u2);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Max", textColor={0,0,127})}));
  end Max;

  block Min "Smaller of two inputs"
    extends Interfaces.SI2SO;
  equation
    y = min(u1, u2);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Min", textColor={0,0,127})}));
  end Min;

  block MinMax "Smallest and largest of any number of inputs"
    extends Icons.Block;
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    Interfaces.RealVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput yMax "Largest"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput yMin "Smallest"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
  equation
    yMax = max(u);
    yMin = min(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="MinMax", textColor={0,0,127})}));
  end MinMax;

  block LinearDependency "Constant plus weighted sum of two inputs"
    extends Interfaces.SI2SO;
    parameter Real y0 = 0 "Constant";
    parameter Real k1 = 0 "Weight of u1";
    parameter Real k2 = 0 "Weight of u2";
  equation
    y = y0 + k1*u1 + k2*u2;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="LinearDependency", textColor={0,0,127})}));
  end LinearDependency;

  block Edge "True at a rising edge"
    extends Interfaces.BooleanSISO;
  equation
    y = edge(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Edge", textColor={0,0,127})}));
  end Edge;

  block BooleanChange "True when the Boolean input changes"
    extends Interfaces.BooleanSISO;
  equation
    y = change(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanChange", textColor={0,0,127})}));
  end BooleanChange;

  block IntegerChange "True when the Integer input changes"
    extends Interfaces.IntegerSIBooleanSO;
  equation
    y = change(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="IntegerChange", textColor={0,0,127})}));
  end IntegerChange;
end Math;
