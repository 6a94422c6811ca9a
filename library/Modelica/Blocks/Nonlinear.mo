within Modelica.Blocks;
package Nonlinear "Limits, dead zone and delays"
  block Limiter "Keeps a signal between two constants"
    parameter Real uMax(start=1) "Upper limit";
    parameter Real uMin = -uMax "Lower limit";
    parameter Boolean strict = false "No events at the limits";
    parameter Types.LimiterHomotopy homotopyType = Types.LimiterHomotopy.Linear "Start of the initialization";
    extends Interfaces.SISO;
  protected
    Real limited "Actual characteristic";
    Real simplifiedExpr "Characteristic at the start of the initialization";
  equation
    assert(uMax >= uMin, "Limiter: uMax must not be less than uMin");
    if strict then
      limited = smooth(0, noEvent(if u > uMax then uMax elseif u < uMin then uMin else u));
    else
      limited = smooth(0, if u > uMax then uMax elseif u < uMin then uMin else u);
    end if;
    simplifiedExpr = if homotopyType == Types.LimiterHomotopy.UpperLimit then uMax
      elseif homotopyType == Types.LimiterHomotopy.LowerLimit then uMin
      elseif homotopyType == Types.LimiterHomotopy.Linear then u else 0;
    if homotopyType == Types.LimiterHomotopy.NoHomotopy then
      y = limited;
    else
      y = homotopy(actual=limited, simplified=simplifiedExpr);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-76,-46},{-36,-46},{36,46},{76,46}}, color={0,0,127}, thickness=0.5)}));
  end Limiter;

  block VariableLimiter "Keeps a signal between two other signals"
    extends Interfaces.SISO;
    parameter Boolean strict = false "No events at the limits";
    parameter Types.VariableLimiterHomotopy homotopyType = Types.VariableLimiterHomotopy.Linear
      "Start of the initialization";
    parameter Real ySimplified = 0 "Output at the start of the initialization, if fixed";
    Interfaces.RealInput limit1 "Upper limit"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput limit2 "Lower limit"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
  protected
    Real limited "Actual characteristic";
    Real simplifiedExpr "Characteristic at the start of the initialization";
  equation
    assert(limit1 >= limit2, "VariableLimiter: limit1 must not be less than limit2");
    if strict then
      limited = smooth(0, noEvent(if u > limit1 then limit1 elseif u < limit2 then limit2 else u));
    else
      limited = smooth(0, if u > limit1 then limit1 elseif u < limit2 then limit2 else u);
    end if;
    simplifiedExpr = if homotopyType == Types.VariableLimiterHomotopy.Fixed then ySimplified
      elseif homotopyType == Types.VariableLimiterHomotopy.Linear then u else 0;
    if homotopyType == Types.VariableLimiterHomotopy.NoHomotopy then
      y = limited;
    else
      y = homotopy(actual=limited, simplified=simplifiedExpr);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="VariableLimiter", textColor={0,0,127})}));
  end VariableLimiter;

  block SlewRateLimiter "Limits the slope of a signal"
    extends Interfaces.SISO;
    parameter Real Rising(min=Modelica.Constants.small) = 1 "Largest slope";
    parameter Real Falling(max=-Modelica.Constants.small) = -Rising "Smallest slope";
    parameter SI.Time Td(min=Modelica.Constants.small) = 0.001 "Time constant of the tracking";
    parameter Types.Init initType = Types.Init.SteadyState "Kind of initialization";
    parameter Real y_start = 0 "Start value of the output";
    parameter Boolean strict = false "No events at the limits";
  protected
    Real val = (u - y)/Td "Slope without limits";
  initial equation
    if initType == Types.Init.SteadyState then
      y = u;
    elseif initType <> Types.Init.NoInit then
      y = y_start;
    end if;
  equation
    if strict then
      der(y) = smooth(0, noEvent(if val > Rising then Rising elseif val < Falling then Falling else val));
    else
      der(y) = smooth(0, if val > Rising then Rising elseif val < Falling then Falling else val);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="SlewRateLimiter", textColor={0,0,127})}));
  end SlewRateLimiter;

  block DeadZone "Zero between two limits, shifted line outside"
    parameter Real uMax(start=1) "Upper end of the zone";
    parameter Real uMin = -uMax "Lower end of the zone";
    extends Interfaces.SISO;
  equation
    assert(uMax >= uMin, "DeadZone: uMax must not be less than uMin");
    y = smooth(0, if u > uMax then u - uMax elseif u < uMin then u - uMin else 0);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-76,-54},{-28,0},{28,0},{76,54}}, color={0,0,127}, thickness=0.5)}));
  end DeadZone;

  block FixedDelay "Input of a constant time ago"
    extends Interfaces.SISO;
    parameter SI.Time delayTime(start=1) "Delay";
  equation
    y = delay(u, delayTime);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="FixedDelay", textColor={0,0,127})}));
  end FixedDelay;

  block PadeDelay "Rational approximation of a delay"
    extends Interfaces.SISO;
    parameter SI.Time delayTime(start=1) "Delay";
    parameter Integer n(min=1) = 1 "Degree of the denominator";
    parameter Integer m(min=1, max=n) = n "Degree of the numerator";
    parameter Boolean balance = false "Output x scaled; the states themselves always are";
    final output Real x[n] "x[n] follows the input, x[n - k] its derivative of order k";
  protected
    // exp(-p) = N(p)/Q(p) with p = s*delayTime; the chain of states is v, p v, p^2 v, ... with Q v = u
    parameter Real a[n + 1] = coefficients(n, m) "Q from the constant up";
    parameter Real bAbs[m + 1] = coefficients(m, n) "Absolute values of N from the constant up";
    parameter Real b[n + 1] = {if k > m + 1 then 0 elseif mod(k, 2) == 1 then bAbs[min(k, m + 1)] else -bAbs[min(k, m + 1)]
      for k in 1:n + 1} "N from the constant up";
    Real v[n] "States: scaled derivatives of v, highest first";
    Real top "Highest scaled derivative of v";

    function coefficients "Pade polynomial of degree k for degree l of the other one"
      input Integer k;
      input Integer l;
      output Real c[k + 1];
    algorithm
      c[1] := 1;
      for i in 1:k loop
        c[i + 1] := c[i]*(k - i + 1)/(i*(k + l - i + 1));
      end for;
    end coefficients;
  initial equation
    der(v) = zeros(n);
  equation
    top = (u - sum(a[k]*v[n + 1 - k] for k in 1:n))/a[n + 1];
    delayTime*der(v[1]) = top;
    for i in 2:n loop
      delayTime*der(v[i]) = v[i - 1];
    end for;
    for i in 1:n loop
      x[i] = if balance then v[i] else v[i]/delayTime^(n - i);
    end for;
    y = sum(b[k]*v[n + 1 - k] for k in 1:n) + b[n + 1]*top;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="PadeDelay", textColor={0,0,127})}));
  end PadeDelay;

  block VariableDelay "Input of a variable time ago"
    extends Interfaces.SISO;
    parameter SI.Duration delayMax(min=0, start=1) "Largest delay";
    Interfaces.RealInput delayTime "Delay"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  equation
    y = delay(u, delayTime, delayMax);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="VariableDelay", textColor={0,0,127})}));
  end VariableDelay;
end Nonlinear;
