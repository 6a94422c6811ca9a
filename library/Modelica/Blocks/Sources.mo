within Modelica.Blocks;
package Sources "Signals that depend on time only"
  import Modelica.Constants.pi;

  block RealExpression "Output is a time-varying expression"
    Interfaces.RealOutput y = 0.0 "Value, given by a modifier"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="%y", textColor={0,0,127})}));
  end RealExpression;

  block IntegerExpression "Output is a time-varying Integer expression"
    Interfaces.IntegerOutput y = 0 "Value, given by a modifier"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="IntegerExpression", textColor={0,0,127})}));
  end IntegerExpression;

  block BooleanExpression "Output is a time-varying Boolean expression"
    Interfaces.BooleanOutput y = false "Value, given by a modifier"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanExpression", textColor={0,0,127})}));
  end BooleanExpression;

  block ContinuousClock "Time since startTime"
    extends Interfaces.SignalSource;
  equation
    y = offset + (if time < startTime then 0 else time - startTime);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="ContinuousClock", textColor={0,0,127})}));
  end ContinuousClock;

  block Constant "Constant"
    extends Interfaces.SO;
    parameter Real k(start=1) "Value";
  equation
    y = k;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,0},{66,0}}, color={0,0,127}, thickness=0.5)}));
  end Constant;

  block Step "Jump by height at startTime"
    extends Interfaces.SignalSource;
    parameter Real height = 1 "Size of the jump";
  equation
    y = offset + (if time < startTime then 0 else height);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,-48},{0,-48},{0,48},{66,48}}, color={0,0,127}, thickness=0.5)}));
  end Step;

  block Ramp "Straight line from offset to offset + height"
    extends Interfaces.SignalSource;
    parameter Real height = 1 "Size of the change";
    parameter SI.Time duration(min=0.0, start=2) "Time of the change; 0 gives a step";
  equation
    y = offset + (if time < startTime then 0
      elseif time < startTime + duration then height*(time - startTime)/duration
      else height);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,-48},{-22,-48},{33,48},{66,48}}, color={0,0,127}, thickness=0.5)}));
  end Ramp;

  block Sine "Sine wave"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Amplitude";
    parameter SI.Frequency f(start=1) "Frequency";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter Boolean continuous = false "Before startTime hold the value of startTime";
  equation
    y = offset + (if time < startTime then (if continuous then amplitude*sin(phase) else 0)
      else amplitude*sin(2*pi*f*(time - startTime) + phase));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,0},{82,0}}, color={192,192,192}),
      Line(points={{-66,0},{-33,67},{0,0},{33,-67},{66,0}}, color={0,0,127}, thickness=0.5, smooth=Smooth.Bezier)}));
  end Sine;

  block Cosine "Cosine wave"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Amplitude";
    parameter SI.Frequency f(start=1) "Frequency";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter Boolean continuous = false "Before startTime hold the value of startTime";
  equation
    y = offset + (if time < startTime then (if continuous then amplitude*cos(phase) else 0)
      else amplitude*cos(2*pi*f*(time - startTime) + phase));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,0},{82,0}}, color={192,192,192}),
      Line(points={{-66,48},{-33,0},{0,-48},{33,0},{66,48}}, color={0,0,127}, thickness=0.5, smooth=Smooth.Bezier)}));
  end Cosine;

  partial block VariableFrequencyAndAmplitude "Phase of a wave whose frequency and amplitude are inputs"
    extends Interfaces.SO;
    parameter Boolean useConstantAmplitude = false "Amplitude is the parameter, not the input";
    parameter Real constantAmplitude = 1 "Amplitude, if constant";
    parameter Boolean useConstantFrequency = false "Frequency is the parameter, not the input";
    parameter SI.Frequency constantFrequency = 1 "Frequency, if constant";
    parameter Real offset = 0 "Added to the wave";
    SI.Angle phi(start=0) "Phase";
    Interfaces.RealInput amplitude if not useConstantAmplitude "Amplitude"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput f(unit="Hz") if not useConstantFrequency "Frequency"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    Interfaces.RealInput amplitude_internal "Amplitude in use"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealInput f_internal(unit="Hz") "Frequency in use"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  equation
    connect(amplitude, amplitude_internal);
    connect(f, f_internal);
    if useConstantAmplitude then
      amplitude_internal = constantAmplitude;
    end if;
    if useConstantFrequency then
      f_internal = constantFrequency;
    end if;
    der(phi) = 2*pi*f_internal;
  end VariableFrequencyAndAmplitude;

  block SineVariableFrequencyAndAmplitude "Sine wave with variable frequency and amplitude"
    extends VariableFrequencyAndAmplitude;
  equation
    y = offset + amplitude_internal*sin(phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="SineVariableFrequencyAndAmplitude", textColor={0,0,127})}));
  end SineVariableFrequencyAndAmplitude;

  block CosineVariableFrequencyAndAmplitude "Cosine wave with variable frequency and amplitude"
    extends VariableFrequencyAndAmplitude;
  equation
    y = offset + amplitude_internal*cos(phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="CosineVariableFrequencyAndAmplitude", textColor={0,0,127})}));
  end CosineVariableFrequencyAndAmplitude;

  block Sinc "sin(x)/x with x = 2 pi f (time - startTime)"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Value at startTime";
    parameter SI.Frequency f(start=1) "Frequency";
    parameter Boolean continuous = false "Before startTime hold the value of startTime";
  protected
    SI.Angle x = 2*pi*f*(time - startTime) "Argument";
  equation
    y = offset + (if time < startTime then (if continuous then amplitude else 0)
      else amplitude*noEvent(if abs(x) < 1e-8 then 1 else sin(x)/x));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Sinc", textColor={0,0,127})}));
  end Sinc;

  block ExpSine "Decaying sine wave"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Amplitude at startTime";
    parameter SI.Frequency f(start=2) "Frequency";
    parameter SI.Angle phase = 0 "Phase at startTime";
    parameter SI.Damping damping(start=1) "Rate of decay";
  equation
    y = offset + (if time < startTime then 0
      else amplitude*exp(-damping*(time - startTime))*sin(2*pi*f*(time - startTime) + phase));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,0},{82,0}}, color={192,192,192}),
      Line(points={{-66,0},{-44,62},{-18,-38},{9,24},{35,-14},{66,0}}, color={0,0,127}, thickness=0.5, smooth=Smooth.Bezier)}));
  end ExpSine;

  block Exponentials "Exponential rise, then exponential fall"
    extends Interfaces.SignalSource;
    parameter Real outMax = 1 "Limit of an endless rise";
    parameter SI.Time riseTime(min=0, start=0.5) "Duration of the rise";
    parameter SI.Time riseTimeConst(min=Modelica.Constants.small) = 0.1 "Time constant of the rise";
    parameter SI.Time fallTimeConst(min=Modelica.Constants.small) = riseTimeConst "Time constant of the fall";
  protected
    Real y_riseTime "Value at the end of the rise";
  equation
    y_riseTime = outMax*(1 - exp(-riseTime/riseTimeConst));
    y = offset + (if time < startTime then 0
      elseif time < startTime + riseTime then outMax*(1 - exp(-(time - startTime)/riseTimeConst))
      else y_riseTime*exp(-(time - startTime - riseTime)/fallTimeConst));
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,-48},{-33,29},{0,48},{26,-14},{66,-43}}, color={0,0,127}, thickness=0.5, smooth=Smooth.Bezier)}));
  end Exponentials;

  partial block PeriodicSource "Time within the running period of a periodic signal"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Amplitude";
    parameter SI.Time period(final min=Modelica.Constants.small, start=1) "Period";
    parameter Integer nperiod = -1 "Number of periods; negative means endless";
  protected
    discrete SI.Time T_start "Begin of the running period";
    Integer count "Number of the running period, from 0";
    Boolean active "A period is running";
  initial equation
    pre(count) = integer(floor((time - startTime)/period));
    pre(T_start) = startTime + pre(count)*period;
  equation
    when sample(startTime, period) then
      count = integer(floor((time - startTime)/period + 0.5));
      T_start = startTime + count*period;
    end when;
    active = time >= startTime and (nperiod < 0 or count < nperiod);
  end PeriodicSource;

  block Pulse "Rectangular pulses"
    extends PeriodicSource;
    parameter Real width(final min=Modelica.Constants.small, final max=100) = 50 "Pulse width in percent of the period";
  protected
    SI.Time T_width = period*width/100 "Pulse width";
  equation
    y = offset + (if active and time < T_start + T_width then amplitude else 0);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,-48},{-33,-48},{-33,48},{0,48},{0,-48},{33,-48},{33,48},{66,48}}, color={0,0,127}, thickness=0.5)}));
  end Pulse;

  block SawTooth "Rising saw teeth"
    extends PeriodicSource;
  equation
    y = offset + (if active then amplitude*(time - T_start)/period else 0);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,-48},{0,48},{0,-48},{66,48},{66,-48}}, color={0,0,127}, thickness=0.5)}));
  end SawTooth;

  block Trapezoid "Trapezoidal pulses"
    extends PeriodicSource;
    parameter SI.Time rising(final min=0) = 0 "Duration of the rise";
    parameter SI.Time width(final min=0) = 0.5 "Duration of the plateau";
    parameter SI.Time falling(final min=0) = 0 "Duration of the fall";
  protected
    parameter SI.Time T_rising = rising "End of the rise in the period";
    parameter SI.Time T_width = T_rising + width "End of the plateau in the period";
    parameter SI.Time T_falling = T_width + falling "End of the fall in the period";
  equation
    y = offset + (if not active then 0
      elseif time < T_start + T_rising then amplitude*(time - T_start)/rising
      elseif time < T_start + T_width then amplitude
      elseif time < T_start + T_falling then amplitude*(T_start + T_falling - time)/falling
      else 0);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Line(points={{-80,-70},{-80,80}}, color={192,192,192}),
      Line(points={{-90,-60},{82,-60}}, color={192,192,192}),
      Line(points={{-66,-48},{-40,48},{13,48},{40,-48},{66,-48}}, color={0,0,127}, thickness=0.5)}));
  end Trapezoid;

  block LogFrequencySweep "Angular frequency that grows exponentially from wMin to wMax"
    extends Interfaces.SO;
    parameter Real wMin(final min=Modelica.Constants.eps) "First value";
    parameter Real wMax(final min=Modelica.Constants.eps) "Last value";
    parameter SI.Time startTime = 0 "Begin of the sweep";
    parameter SI.Time duration(min=0.0, start=1) "Duration of the sweep";
  equation
    y = if time < startTime then wMin
      elseif time < startTime + duration then wMin*exp(log(wMax/wMin)*(time - startTime)/duration)
      else wMax;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="LogFrequencySweep", textColor={0,0,127})}));
  end LogFrequencySweep;

  block KinematicPTP "Acceleration of the fastest point-to-point motion within limits"
    parameter Real deltaq[:] = {1} "Distances";
    parameter Real qd_max[:](each final min=Modelica.Constants.small) = {1} "Largest speeds";
    parameter Real qdd_max[:](each final min=Modelica.Constants.small) = {1} "Largest accelerations";
    parameter SI.Time startTime = 0 "Begin of the motion";
    extends Interfaces.MO(final nout=max([size(deltaq, 1); size(qd_max, 1); size(qdd_max, 1)]));
  protected
    parameter Real p_deltaq[nout] = if size(deltaq, 1) == 1 then fill(deltaq[1], nout) else deltaq;
    parameter Real p_qd_max[nout] = if size(qd_max, 1) == 1 then fill(qd_max[1], nout) else qd_max;
    parameter Real p_qdd_max[nout] = if size(qdd_max, 1) == 1 then fill(qdd_max[1], nout) else qdd_max;
    // The path parameter s runs from 0 to 1 with acceleration a, peak speed v and deceleration a
    parameter Real v_limit = 1/max(abs(p_deltaq ./ p_qd_max)) "Speed limit of s";
    parameter Real a = 1/max(abs(p_deltaq ./ p_qdd_max)) "Acceleration of s";
    parameter Real v = min(v_limit, sqrt(a)) "Peak speed of s";
    parameter SI.Time T_a = v/a "Duration of the acceleration";
    parameter SI.Time T_v = 1/v "Begin of the deceleration";
    Real sdd "Second derivative of s";
  equation
    sdd = if time < startTime then 0
      elseif time < startTime + T_a then a
      elseif time < startTime + T_v then 0
      elseif time < startTime + T_v + T_a then -a
      else 0;
    y = p_deltaq*sdd;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="KinematicPTP", textColor={0,0,127})}));
  end KinematicPTP;

  block KinematicPTP2 "Fastest point-to-point motion within limits, with position, speed and acceleration"
    extends Icons.Block;
    parameter Real q_begin[:] = {0} "First positions";
    parameter Real q_end[:] = {1} "Last positions";
    parameter Real qd_max[:](each final min=Modelica.Constants.small) = {1} "Largest speeds";
    parameter Real qdd_max[:](each final min=Modelica.Constants.small) = {1} "Largest accelerations";
    parameter SI.Time startTime = 0 "Begin of the motion";
    final parameter Integer nout = max([size(q_begin, 1); size(q_end, 1); size(qd_max, 1); size(qdd_max, 1)])
      "Number of axes";
    output SI.Time endTime "End of the motion";
    Interfaces.RealOutput q[nout] "Positions"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput qd[nout] "Speeds"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    Interfaces.RealOutput qdd[nout] "Accelerations"
      annotation(Placement(transformation(extent={{100,25},{120,45}})));
    Interfaces.BooleanOutput moving[nout] "An axis moves"
      annotation(Placement(transformation(extent={{100,-45},{120,-25}})));
  protected
    parameter Real p_q_begin[nout] = if size(q_begin, 1) == 1 then fill(q_begin[1], nout) else q_begin;
    parameter Real p_q_end[nout] = if size(q_end, 1) == 1 then fill(q_end[1], nout) else q_end;
    parameter Real p_qd_max[nout] = if size(qd_max, 1) == 1 then fill(qd_max[1], nout) else qd_max;
    parameter Real p_qdd_max[nout] = if size(qdd_max, 1) == 1 then fill(qdd_max[1], nout) else qdd_max;
    parameter Real p_deltaq[nout] = p_q_end - p_q_begin;
    constant Real eps = 10*Modelica.Constants.eps;
    parameter Real slow = max(abs(p_deltaq ./ p_qd_max)) "Time of the motion at full speed";
    parameter Real lazy = max(abs(p_deltaq ./ p_qdd_max)) "Distance over acceleration";
    parameter Boolean moves = slow > eps and lazy > eps "There is a motion at all";
    // The path parameter s runs from 0 to 1 with acceleration a, peak speed v and deceleration a
    parameter Real a = if moves then 1/lazy else 1 "Acceleration of s";
    parameter Real v = if moves then min(1/slow, sqrt(a)) else 1 "Peak speed of s";
    parameter SI.Time T_a = if moves then v/a else 0 "Duration of the acceleration";
    parameter SI.Time T_v = if moves then 1/v else 0 "Begin of the deceleration";
    parameter SI.Time T_e = T_a + T_v "Duration of the motion";
    SI.Time t = time - startTime "Time since the begin";
    Real s "Path parameter";
    Real sd "Speed of s";
    Real sdd "Acceleration of s";
    Boolean running "The motion is not finished";
  equation
    running = time < startTime + T_e;
    s = if time < startTime then 0
      elseif time < startTime + T_a then a*t^2/2
      elseif time < startTime + T_v then v*(t - T_a/2)
      elseif running then 1 - a*(T_e - t)^2/2
      else 1;
    sd = if time < startTime then 0
      elseif time < startTime + T_a then a*t
      elseif time < startTime + T_v then v
      elseif running then a*(T_e - t)
      else 0;
    sdd = if time < startTime then 0
      elseif time < startTime + T_a then a
      elseif time < startTime + T_v then 0
      elseif running then -a
      else 0;
    q = p_q_begin + p_deltaq*s;
    qd = p_deltaq*sd;
    qdd = p_deltaq*sdd;
    endTime = startTime + T_e;
    for i in 1:nout loop
      moving[i] = abs(p_deltaq[i]) > eps and running;
    end for;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="KinematicPTP2", textColor={0,0,127})}));
  end KinematicPTP2;

  block TimeTable "Straight lines between points in time"
    extends Interfaces.SignalSource;
    parameter Real table[:, 2] = fill(0.0, 0, 2) "Points: time/timeScale and value; equal times make a jump";
    parameter SI.Time timeScale(min=Modelica.Constants.eps) = 1 "Unit of the first column";
    parameter SI.Time shiftTime = startTime "Shift of the first column";
  protected
    discrete Real slope "Slope of the running line";
    discrete Real intercept "Value of the running line at the origin of the table";
    discrete SI.Time lineEnd "End of the running line";
    Real x = (time - shiftTime)/timeScale "Time in the table";
    discrete Real xNext "End of the running line in the table";

    function line "Straight line of a table at x"
      input Real table[:, 2] "Points";
      input Real x "Where";
      output Real a "Slope";
      output Real b "Value at 0";
      output Real xNext "End of the line";
    protected
      Integer n = size(table, 1);
      Real tol = 100*Modelica.Constants.eps*max(abs(x), abs(table[size(table, 1), 1]));
      Real p[2] "Begin of the line";
      Real q[2] "End of the line";
      Real dx;
    algorithm
      if n == 1 then
        a := 0;
        b := table[1, 2];
        xNext := Modelica.Constants.inf;
      else
        p := table[1, :];
        q := table[2, :];
        for i in 2:n - 1 loop
          p := if table[i, 1] <= x + tol then table[i, :] else p;
          q := if table[i, 1] <= x + tol then table[i + 1, :] else q;
        end for;
        dx := q[1] - p[1];
        a := if dx > tol then (q[2] - p[2])/dx else 0;
        b := q[2] - a*q[1];
        xNext := if q[1] > x + tol then q[1] else Modelica.Constants.inf;
      end if;
    end line;
  equation
    when {initial(), time >= pre(lineEnd)} then
      (slope, intercept, xNext) = line(table, x);
      lineEnd = if xNext < Modelica.Constants.inf then shiftTime + timeScale*xNext else Modelica.Constants.inf;
    end when;
    assert(size(table, 1) > 0, "TimeTable needs at least one point");
    y = offset + (if time < startTime then 0 else intercept + slope*x);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="TimeTable", textColor={0,0,127})}));
  end TimeTable;

  block CombiTimeTable "Columns of a matrix over time"
    extends Interfaces.MO(final nout=max([size(columns, 1); size(offset, 1)]));
    extends Tables.Internal.TableData;
    parameter Integer columns[:] = 2:size(table, 2) "Columns to interpolate";
    parameter SI.Time timeScale(min=Modelica.Constants.eps) = 1 "Unit of the first column";
    parameter Real offset[:] = {0} "Added to the columns";
    parameter SI.Time startTime = 0 "Output is the offset before";
    parameter SI.Time shiftTime = startTime "Shift of the first column";
    parameter Types.TimeEvents timeEvents = Types.TimeEvents.Always "Where events are made";
    final parameter Real t_minScaled = Tables.Internal.getTimeTableTmin(tableID) "First time in the table";
    final parameter Real t_maxScaled = Tables.Internal.getTimeTableTmax(tableID) "Last time in the table";
    final parameter SI.Time t_min = t_minScaled*timeScale "First time";
    final parameter SI.Time t_max = t_maxScaled*timeScale "Last time";
  protected
    final parameter Real p_offset[nout] = if size(offset, 1) == 1 then fill(offset[1], nout) else offset;
    final parameter Types.TimeEvents p_timeEvents =
      if smoothness == Types.Smoothness.LinearSegments then timeEvents
      elseif smoothness == Types.Smoothness.ConstantSegments then Types.TimeEvents.Always
      else Types.TimeEvents.NoTimeEvents "Events that the curve needs";
    parameter Types.ExternalCombiTimeTable tableID = Types.ExternalCombiTimeTable(
      sourceName, sourceFile, table, startTime/timeScale, columns, smoothness, extrapolation,
      shiftTime/timeScale, p_timeEvents, tableOnFile and verboseRead, delimiter, nHeaderLines) "Table";
    discrete SI.Time nextTimeEvent(start=0, fixed=true) "Next event";
    discrete Real nextTimeEventScaled(start=0, fixed=true) "Next event in the table";
    Real timeScaled = time/timeScale "Time in the table";
  equation
    when {initial(), time >= pre(nextTimeEvent)} then
      nextTimeEventScaled = Tables.Internal.getNextTimeEvent(tableID, timeScaled);
      nextTimeEvent = if nextTimeEventScaled < Modelica.Constants.inf then nextTimeEventScaled*timeScale
        else Modelica.Constants.inf;
    end when;
    for i in 1:nout loop
      y[i] = p_offset[i] + (
        if smoothness == Types.Smoothness.ConstantSegments then
          Tables.Internal.getTimeTableValueNoDer(tableID, i, timeScaled, nextTimeEventScaled, pre(nextTimeEventScaled))
        elseif smoothness == Types.Smoothness.LinearSegments then
          Tables.Internal.getTimeTableValueNoDer2(tableID, i, timeScaled, nextTimeEventScaled, pre(nextTimeEventScaled))
        else
          Tables.Internal.getTimeTableValue(tableID, i, timeScaled, nextTimeEventScaled, pre(nextTimeEventScaled)));
    end for;
    if verboseExtrapolation and borderIsCrossed then
      assert(noEvent(time >= t_min and time <= t_max), "Time is outside the table", AssertionLevel.warning);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="CombiTimeTable", textColor={0,0,127})}));
  end CombiTimeTable;

  block BooleanConstant "Constant Boolean"
    extends Interfaces.partialBooleanSource;
    parameter Boolean k = true "Value";
  equation
    y = k;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="%k", textColor={0,0,127})}));
  end BooleanConstant;

  block BooleanStep "Boolean that changes once"
    extends Interfaces.partialBooleanSource;
    parameter SI.Time startTime = 0 "Time of the change";
    parameter Boolean startValue = false "Value before the change";
  equation
    y = if time < startTime then startValue else not startValue;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanStep", textColor={0,0,127})}));
  end BooleanStep;

  block BooleanPulse "Boolean pulses"
    extends Interfaces.partialBooleanSource;
    parameter Real width(final min=Modelica.Constants.small, final max=100) = 50 "True part of the period in percent";
    parameter SI.Time period(final min=Modelica.Constants.small, start=1) "Period";
    parameter SI.Time startTime = 0 "First pulse";
  protected
    parameter SI.Time Twidth = period*width/100 "Length of a pulse";
    discrete SI.Time pulseStart "Begin of the last pulse";
  initial equation
    pre(pulseStart) = startTime + max(0, floor((time - startTime)/period))*period;
  equation
    when sample(startTime, period) then
      pulseStart = time;
    end when;
    y = time >= pulseStart and time < pulseStart + Twidth;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanPulse", textColor={0,0,127})}));
  end BooleanPulse;

  block SampleTrigger "True at sample instants only"
    extends Interfaces.partialBooleanSource;
    parameter SI.Time period(final min=Modelica.Constants.small, start=0.01) "Sample period";
    parameter SI.Time startTime = 0 "First sample";
  equation
    y = sample(startTime, period);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="SampleTrigger", textColor={0,0,127})}));
  end SampleTrigger;

  block BooleanTable "Boolean that toggles at given times"
    extends Interfaces.partialBooleanSO;
    parameter SI.Time table[:] = {0, 1} "Times of the changes, strictly increasing";
    parameter Boolean startValue = false "Value before the first change";
    parameter Types.Extrapolation extrapolation = Types.Extrapolation.HoldLastPoint "Values outside the table";
    parameter SI.Time startTime = -Modelica.Constants.inf "Output is false before";
    parameter SI.Time shiftTime = 0 "Shift of the table";
    CombiTimeTable combiTimeTable(
      final table=toggles(table, startValue), final columns={2},
      final smoothness=Types.Smoothness.ConstantSegments,
      final extrapolation=extrapolation, final startTime=startTime, final shiftTime=shiftTime)
      "The same as steps between 0 and 1";
  protected
    function toggles "Matrix of steps between 0 and 1"
      input Real times[:] "Times of the changes";
      input Boolean startValue "Value before";
      output Real steps[size(times, 1) + 1, 2] "Times and values";
    protected
      Boolean value = startValue;
      Integer n = size(times, 1);
    algorithm
      steps[1, 1] := if n > 0 then times[1] else 0;
      steps[1, 2] := if startValue then 1 else 0;
      for i in 1:n loop
        value := not value;
        steps[i + 1, 1] := times[i];
        steps[i + 1, 2] := if value then 1 else 0;
      end for;
    end toggles;
  equation
    y = combiTimeTable.y[1] >= 0.5;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="BooleanTable", textColor={0,0,127})}));
  end BooleanTable;

  block RadioButtonSource "Button that is pressed at given times and released by others"
    parameter SI.Time buttonTimeTable[:] = {0, 1} "Times at which the button is pressed";
    input Boolean reset[:] = {false} "A rising edge releases the button";
    Interfaces.BooleanOutput on(start=false, fixed=true) "Button is pressed"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
  protected
    BooleanTable table(table=buttonTimeTable, y(start=false, fixed=true)) "Toggles when pressed";
    parameter Integer nReset = size(reset, 1);
    Boolean pre_reset[nReset] "Reset signals one event before";
  initial equation
    pre(reset) = fill(false, nReset);
  algorithm
    pre_reset := pre(reset);
    when pre_reset then
      on := false;
    end when;
    when change(table.y) then
      on := true;
    end when;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="RadioButtonSource", textColor={0,0,127})}));
  end RadioButtonSource;

  block IntegerConstant "Constant Integer"
    extends Interfaces.IntegerSO;
    parameter Integer k(start=1) "Value";
  equation
    y = k;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="%k", textColor={0,0,127})}));
  end IntegerConstant;

  block IntegerStep "Integer jump at startTime"
    extends Interfaces.IntegerSignalSource;
    parameter Integer height = 1 "Size of the jump";
  equation
    y = offset + (if time < startTime then 0 else height);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="IntegerStep", textColor={0,0,127})}));
  end IntegerStep;

  block IntegerTable "Integer that changes at given times"
    extends Interfaces.IntegerSO;
    parameter Real table[:, 2] = fill(0, 0, 2) "Times and values";
    parameter Types.Extrapolation extrapolation = Types.Extrapolation.HoldLastPoint "Values outside the table";
    parameter SI.Time startTime = -Modelica.Constants.inf "Output is 0 before";
    parameter SI.Time shiftTime = 0 "Shift of the table";
    CombiTimeTable combiTimeTable(
      final table=table, final columns={2}, final smoothness=Types.Smoothness.ConstantSegments,
      final extrapolation=extrapolation, final startTime=startTime, final shiftTime=shiftTime) "The same as Reals";
  equation
    y = integer(combiTimeTable.y[1] + 0.5);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="IntegerTable", textColor={0,0,127})}));
  end IntegerTable;
end Sources;
