within Modelica.Blocks;
package Continuous "Dynamic blocks with continuous states"
  import Modelica.Blocks.Types.Init;
  import Modelica.Constants.pi;

  block Integrator "Integral of the input, with optional reset"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Boolean use_reset = false "There is a reset input";
    parameter Boolean use_set = false "There is an input for the value after reset";
    parameter Init initType = Init.InitialState "Kind of initialization";
    parameter Real y_start = 0 "Start value, and value after reset without set input";
    Interfaces.BooleanInput reset if use_reset "A rising edge resets the output"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput set if use_reset and use_set "Value after reset"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
  protected
    Interfaces.BooleanOutput local_reset "Reset in use";
    Interfaces.RealOutput local_set "Value after reset in use";
  initial equation
    if initType == Init.SteadyState then
      der(y) = 0;
    elseif initType <> Init.NoInit then
      y = y_start;
    end if;
  equation
    if use_reset then
      connect(reset, local_reset);
      if use_set then
        connect(set, local_set);
      else
        local_set = y_start;
      end if;
      when local_reset then
        reinit(y, local_set);
      end when;
    else
      local_reset = false;
      local_set = 0;
    end if;
    der(y) = k*u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="1/s", textColor={0,0,127})}));
  end Integrator;

  block LimIntegrator "Integral of the input between limits, with optional reset"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Real outMax(start=1) "Upper limit";
    parameter Real outMin = -outMax "Lower limit";
    parameter Boolean use_reset = false "There is a reset input";
    parameter Boolean use_set = false "There is an input for the value after reset";
    parameter Init initType = Init.InitialState "Kind of initialization";
    parameter Boolean limitsAtInit = true "The limits hold during initialization";
    parameter Real y_start = 0 "Start value, and value after reset without set input";
    parameter Boolean strict = false "No events at the limits";
    Interfaces.BooleanInput reset if use_reset "A rising edge resets the output"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput set if use_reset and use_set "Value after reset"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
  protected
    Interfaces.BooleanOutput local_reset "Reset in use";
    Interfaces.RealOutput local_set "Value after reset in use";
    Real slope = k*u "Slope without limits";
  initial equation
    if initType == Init.SteadyState then
      der(y) = 0;
    elseif initType <> Init.NoInit then
      y = y_start;
    end if;
  equation
    if use_reset then
      connect(reset, local_reset);
      if use_set then
        connect(set, local_set);
      else
        local_set = y_start;
      end if;
      when local_reset then
        reinit(y, max(outMin, min(outMax, local_set)));
      end when;
    else
      local_reset = false;
      local_set = 0;
    end if;
    if initial() and not limitsAtInit then
      der(y) = slope;
    elseif strict then
      der(y) = noEvent(if y > outMax and slope > 0 or y < outMin and slope < 0 then 0 else slope);
    else
      der(y) = if y > outMax and slope > 0 or y < outMin and slope < 0 then 0 else slope;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="1/s", textColor={0,0,127})}));
  end LimIntegrator;

  block Derivative "Derivative of the input, with a pole against noise: k s/(T s + 1)"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter SI.Time T(min=Modelica.Constants.small) = 0.01 "Time constant of the pole";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real x_start = 0 "Start value of the state";
    parameter Real y_start = 0 "Start value of the output";
    output Real x(start=x_start) "Input through a first-order lag";
  protected
    parameter Boolean zeroGain = abs(k) < Modelica.Constants.eps "The block has no effect";
  initial equation
    if initType == Init.SteadyState then
      der(x) = 0;
    elseif initType == Init.InitialState then
      x = x_start;
    elseif initType == Init.InitialOutput then
      if zeroGain then
        x = u;
      else
        y = y_start;
      end if;
    end if;
  equation
    der(x) = if zeroGain then 0 else (u - x)/T;
    y = if zeroGain then 0 else k*(u - x)/T;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="s", textColor={0,0,127})}));
  end Derivative;

  block FirstOrder "First-order lag k/(T s + 1)"
    extends Interfaces.SISO(y(start=y_start));
    parameter Real k = 1 "Gain";
    parameter SI.Time T(start=1) "Time constant";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real y_start = 0 "Start value of the output";
  initial equation
    if initType == Init.SteadyState then
      der(y) = 0;
    elseif initType <> Init.NoInit then
      y = y_start;
    end if;
  equation
    T*der(y) = k*u - y;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="PT1", textColor={0,0,127})}));
  end FirstOrder;

  block SecondOrder "Second-order lag k/((s/w)^2 + 2 D s/w + 1)"
    extends Interfaces.SISO(y(start=y_start));
    parameter Real k = 1 "Gain";
    parameter Real w(start=1) "Angular frequency";
    parameter Real D(start=1) "Damping";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real y_start = 0 "Start value of the output";
    parameter Real yd_start = 0 "Start value of the derivative of the output";
    output Real yd(start=yd_start) "Derivative of the output";
  initial equation
    if initType == Init.SteadyState then
      der(y) = 0;
      der(yd) = 0;
    elseif initType <> Init.NoInit then
      y = y_start;
      yd = yd_start;
    end if;
  equation
    der(y) = yd;
    der(yd) = w^2*(k*u - y) - 2*D*w*yd;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="PT2", textColor={0,0,127})}));
  end SecondOrder;

  block PI "Proportional-integral controller k (1 + 1/(T s))"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter SI.Time T(start=1, min=Modelica.Constants.small) "Time constant";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real x_start = 0 "Start value of the state";
    parameter Real y_start = 0 "Start value of the output";
    output Real x(start=x_start) "Integral part over gain";
  initial equation
    if initType == Init.SteadyState then
      der(x) = 0;
    elseif initType == Init.InitialState then
      x = x_start;
    elseif initType == Init.InitialOutput then
      y = y_start;
    end if;
  equation
    T*der(x) = u;
    y = k*(u + x);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="PI", textColor={0,0,127})}));
  end PI;

  block PID "Controller k (1 + 1/(Ti s) + Td s/(Td/Nd s + 1))"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter SI.Time Ti(min=Modelica.Constants.small, start=0.5) "Time constant of the integral part";
    parameter SI.Time Td(min=0, start=0.1) "Time constant of the derivative part";
    parameter Real Nd(min=Modelica.Constants.small) = 10 "The pole of the derivative part is Nd/Td";
    parameter Init initType = Init.InitialState "Kind of initialization";
    parameter Real xi_start = 0 "Start value of the integral part";
    parameter Real xd_start = 0 "Start value of the derivative part";
    parameter Real y_start = 0 "Start value of the output";
    constant SI.Time unitTime = 1 "For the units of the gains";
    Math.Gain P(k=1) "Proportional part";
    Integrator I(k=unitTime/Ti, y_start=xi_start,
      initType=if initType == Init.InitialOutput then Init.NoInit else initType) "Integral part";
    Derivative D(k=Td/unitTime, T=max(Td/Nd, 100*Modelica.Constants.eps), x_start=xd_start,
      initType=if initType == Init.InitialOutput then Init.SteadyState else initType) "Derivative part";
    Math.Add3 Add "Sum of the parts";
    Math.Gain Gain(k=k) "Common gain";
  initial equation
    if initType == Init.InitialOutput then
      y = y_start;
    end if;
  equation
    connect(u, P.u);
    connect(u, I.u);
    connect(u, D.u);
    connect(P.y, Add.u1);
    connect(I.y, Add.u2);
    connect(D.y, Add.u3);
    connect(Add.y, Gain.u);
    connect(Gain.y, y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="PID", textColor={0,0,127})}));
  end PID;

  block LimPID "P, PI, PD or PID controller with limited output, anti-windup and setpoint weighting"
    import Modelica.Blocks.Types.SimpleController;
    extends Interfaces.SVcontrol;
    parameter SimpleController controllerType = SimpleController.PID "Parts of the controller";
    parameter Real k = 1 "Gain";
    parameter SI.Time Ti(min=Modelica.Constants.small) = 0.5 "Time constant of the integral part";
    parameter SI.Time Td(min=0) = 0.1 "Time constant of the derivative part";
    parameter Real yMax(start=1) "Upper limit of the output";
    parameter Real yMin = -yMax "Lower limit of the output";
    parameter Real wp(min=0) = 1 "Weight of the setpoint in the proportional part";
    parameter Real wd(min=0) = 0 "Weight of the setpoint in the derivative part";
    parameter Real Ni(min=100*Modelica.Constants.eps) = 0.9 "Time constant of the anti-windup is Ni*Ti";
    parameter Real Nd(min=100*Modelica.Constants.eps) = 10 "The pole of the derivative part is Nd/Td";
    parameter Boolean withFeedForward = false "There is a feed-forward input";
    parameter Real kFF = 1 "Gain of the feed-forward input";
    parameter Init initType = Init.InitialState "Kind of initialization";
    parameter Real xi_start = 0 "Start value of the integral part";
    parameter Real xd_start = 0 "Start value of the derivative part";
    parameter Real y_start = 0 "Start value of the output";
    parameter Types.LimiterHomotopy homotopyType = Types.LimiterHomotopy.Linear "Start of the initialization";
    parameter Boolean strict = false "No events at the limits";
    constant SI.Time unitTime = 1 "For the units of the gains";
    output Real controlError = u_s - u_m "Setpoint minus measurement";
    Interfaces.RealInput u_ff if withFeedForward "Feed-forward input"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    // Proportional part
    Math.Add addP(k1=wp, k2=-1) "Weighted error";
    Math.Gain P(k=1) "Proportional part";
    // Integral part with back-calculation of the saturated output
    Math.Add3 addI(k2=-1) if with_I "Error and anti-windup";
    Integrator I(k=unitTime/Ti, y_start=xi_start,
      initType=if initType == Init.InitialOutput then Init.NoInit else initType) if with_I "Integral part";
    Math.Add addSat(k1=+1, k2=-1) if with_I "Output cut off by the limiter";
    Math.Gain gainTrack(k=1/(k*Ni)) if with_I "Gain of the anti-windup";
    Sources.Constant Izero(k=0) if not with_I "No integral part";
    // Derivative part
    Math.Add addD(k1=wd, k2=-1) if with_D "Weighted error";
    Derivative D(k=Td/unitTime, T=max(Td/Nd, 1e-14), x_start=xd_start,
      initType=if initType == Init.InitialOutput then Init.SteadyState else initType) if with_D "Derivative part";
    Sources.Constant Dzero(k=0) if not with_D "No derivative part";
    // Sum and output
    Math.Add3 addPID "Sum of the parts";
    Math.Gain gainPID(k=k) "Common gain";
    Math.Add addFF(k1=1, k2=kFF) "Feed-forward";
    Sources.Constant FFzero(k=0) if not withFeedForward "No feed-forward";
    Nonlinear.Limiter limiter(uMax=yMax, uMin=yMin, strict=strict, homotopyType=homotopyType) "Limits of the output";
  protected
    parameter Boolean with_I = controllerType == SimpleController.PI or controllerType == SimpleController.PID
      "There is an integral part" annotation(Evaluate=true);
    parameter Boolean with_D = controllerType == SimpleController.PD or controllerType == SimpleController.PID
      "There is a derivative part" annotation(Evaluate=true);
  initial equation
    if initType == Init.InitialOutput then
      gainPID.y = y_start;
    end if;
  equation
    assert(yMax >= yMin, "LimPID: yMax must not be less than yMin");
    connect(addP.u1, u_s);
    connect(addP.u2, u_m);
    connect(P.u, addP.y);
    connect(addPID.u1, P.y);
    connect(addD.u1, u_s);
    connect(addD.u2, u_m);
    connect(D.u, addD.y);
    connect(addPID.u2, D.y);
    connect(addPID.u2, Dzero.y);
    connect(addI.u1, u_s);
    connect(addI.u2, u_m);
    connect(addI.u3, gainTrack.y);
    connect(I.u, addI.y);
    connect(addPID.u3, I.y);
    connect(addPID.u3, Izero.y);
    connect(gainPID.u, addPID.y);
    connect(addFF.u1, gainPID.y);
    connect(addFF.u2, u_ff);
    connect(addFF.u2, FFzero.y);
    connect(limiter.u, addFF.y);
    connect(y, limiter.y);
    connect(addSat.u1, limiter.y);
    connect(addSat.u2, addFF.y);
    connect(gainTrack.u, addSat.y);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="LimPID", textColor={0,0,127})}));
  end LimPID;

  block TransferFunction "Quotient of two polynomials in s"
    extends Interfaces.SISO;
    parameter Real b[:] = {1} "Numerator, highest power first";
    parameter Real a[:] = {1} "Denominator, highest power first";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real x_start[size(a, 1) - 1] = zeros(nx) "Start values of the states";
    parameter Real y_start = 0 "Start value of the output";
    output Real x[size(a, 1) - 1](start=x_start) "States: derivatives of the inner signal, highest first";
  protected
    parameter Integer na = size(a, 1);
    parameter Integer nb = size(b, 1);
    parameter Integer nx = size(a, 1) - 1;
    parameter Real bb[:] = cat(1, zeros(max(0, na - nb)), b) "Numerator of full length";
    parameter Real d = bb[1]/a[1] "Direct part";
    parameter Real a_end = if a[na] > 100*Modelica.Constants.eps*sqrt(a*a) then a[na] else 1 "Scale of the states";
    Real x_scaled[size(x, 1)] "Scaled states";
  initial equation
    if initType == Init.SteadyState then
      der(x_scaled) = zeros(nx);
    elseif initType == Init.InitialState then
      x_scaled = a_end*x_start;
    elseif initType == Init.InitialOutput then
      y = y_start;
      der(x_scaled[2:nx]) = zeros(nx - 1);
    end if;
  equation
    assert(nb <= na, "TransferFunction: the degree of the numerator is greater than that of the denominator");
    x = x_scaled/a_end;
    if nx > 0 then
      a[1]*der(x_scaled[1]) = a_end*u - sum(a[i + 1]*x_scaled[i] for i in 1:nx);
      for i in 2:nx loop
        der(x_scaled[i]) = x_scaled[i - 1];
      end for;
    end if;
    y = d*u + sum((bb[i + 1] - d*a[i + 1])*x_scaled[i] for i in 1:nx)/a_end;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="b(s)/a(s)", textColor={0,0,127})}));
  end TransferFunction;

  block StateSpace "Linear differential equations"
    parameter Real A[:, size(A, 1)] = [1, 0; 0, 1] "States to derivatives";
    parameter Real B[size(A, 1), :] = [1; 1] "Inputs to derivatives";
    parameter Real C[:, size(A, 1)] = [1, 1] "States to outputs";
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2)) "Inputs to outputs";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real x_start[nx] = zeros(nx) "Start values of the states";
    parameter Real y_start[ny] = zeros(ny) "Start values of the outputs";
    extends Interfaces.MIMO(final nin=size(B, 2), final nout=size(C, 1));
    output Real x[size(A, 1)](start=x_start) "States";
  protected
    parameter Integer nx = size(A, 1) "Number of states";
    parameter Integer ny = size(C, 1) "Number of outputs";
    parameter Real lambda[ny](each fixed=false) "Multipliers of the outputs given at the start";
  initial equation
    if initType == Init.InitialOutput then
      // the smallest derivative among all states with this output
      y = y_start;
      transpose(A)*der(x) = transpose(C)*lambda;
    else
      lambda = zeros(ny);
      if initType == Init.SteadyState then
        der(x) = zeros(nx);
      elseif initType == Init.InitialState then
        x = x_start;
      end if;
    end if;
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="A B C D", textColor={0,0,127})}));
  end StateSpace;

  block Der "Exact derivative"
    extends Interfaces.SISO;
  equation
    y = der(u);
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="der()", textColor={0,0,127})}));
  end Der;

  block LowpassButterworth "Butterworth low pass"
    extends Interfaces.SISO;
    parameter Integer n(min=1) = 2 "Order" annotation(Evaluate=true);
    parameter SI.Frequency f(start=1) "Cut-off frequency";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real x1_start[m] = zeros(m) "Start values of the outputs of the second-order stages";
    parameter Real x2_start[m] = zeros(m) "Start values of their derivatives";
    parameter Real xr_start = 0.0 "Start value of the first-order stage";
    parameter Real y_start = 0.0 "Start value of the output";
    output Real x1[m](start=x1_start) "Outputs of the second-order stages";
    output Real x2[m](start=x2_start) "Their derivatives";
    output Real xr(start=xr_start) "Output of the first-order stage";
  protected
    parameter Integer m = div(n, 2) "Number of second-order stages" annotation(Evaluate=true);
    parameter Boolean evenOrder = 2*m == n "There is no first-order stage" annotation(Evaluate=true);
    parameter SI.AngularFrequency w = 2*pi*f "Cut-off frequency";
    parameter Real D[m] = {sin(pi*(2*i - 1)/(2*n)) for i in 1:m} "Dampings of the stages";
    Real z[m + 1] "Signal before and after each second-order stage";
  initial equation
    if initType == Init.SteadyState then
      der(x1) = zeros(m);
      der(x2) = zeros(m);
      if not evenOrder then
        der(xr) = 0;
      end if;
    elseif initType == Init.InitialState then
      x1 = x1_start;
      x2 = x2_start;
      if not evenOrder then
        xr = xr_start;
      end if;
    elseif initType == Init.InitialOutput then
      y = y_start;
      der(x1) = zeros(m);
      if evenOrder then
        der(x2[1:m - 1]) = zeros(m - 1);
      else
        der(x2) = zeros(m);
      end if;
    end if;
  equation
    z[1] = u;
    for i in 1:m loop
      der(x1[i]) = x2[i];
      der(x2[i]) = w^2*(z[i] - x1[i]) - 2*D[i]*w*x2[i];
      z[i + 1] = x1[i];
    end for;
    if evenOrder then
      xr = 0;
      y = z[m + 1];
    else
      der(xr) = w*(z[m + 1] - xr);
      y = xr;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="LowpassButterworth", textColor={0,0,127})}));
  end LowpassButterworth;

  block CriticalDamping "Low pass of equal first-order lags"
    extends Interfaces.SISO;
    parameter Integer n = 2 "Order" annotation(Evaluate=true);
    parameter SI.Frequency f(start=1) "Cut-off frequency";
    parameter Boolean normalized = true "The amplitude at f is 1/sqrt(2)";
    parameter Init initType = Init.NoInit "Kind of initialization";
    parameter Real x_start[n] = zeros(n) "Start values of the states";
    parameter Real y_start = 0.0 "Start value of the output";
    output Real x[n](start=x_start) "Outputs of the lags";
  protected
    parameter Real alpha = if normalized then sqrt(2^(1/n) - 1) else 1 "Frequency correction";
    parameter SI.AngularFrequency w = 2*pi*f/alpha "Corner of each lag";
  initial equation
    if initType == Init.SteadyState then
      der(x) = zeros(n);
    elseif initType == Init.InitialState then
      x = x_start;
    elseif initType == Init.InitialOutput then
      y = y_start;
      der(x[1:n - 1]) = zeros(n - 1);
    end if;
  equation
    der(x[1]) = w*(u - x[1]);
    for i in 2:n loop
      der(x[i]) = w*(x[i - 1] - x[i]);
    end for;
    y = x[n];
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="CriticalDamping", textColor={0,0,127})}));
  end CriticalDamping;

  block Filter "Low, high, band pass or band stop of four pole patterns"
    extends Interfaces.SISO;
    parameter Types.AnalogFilter analogFilter = Types.AnalogFilter.CriticalDamping "Pole pattern" annotation(Evaluate=true);
    parameter Types.FilterType filterType = Types.FilterType.LowPass "Frequencies that pass" annotation(Evaluate=true);
    parameter Integer order(min=1) = 2 "Order of the low-pass prototype" annotation(Evaluate=true);
    parameter SI.Frequency f_cut "Cut-off frequency, upper one for band filters";
    parameter Real gain = 1.0 "Amplitude in the pass band";
    parameter Real A_ripple(unit="dB") = 0.5 "Ripple of ChebyshevI" annotation(Evaluate=true);
    parameter SI.Frequency f_min = 0 "Lower cut-off frequency of band filters";
    parameter Boolean normalized = true "The amplitude at the cut-off frequency is -3 dB" annotation(Evaluate=true);
    parameter Init init = Init.SteadyState "Kind of initialization";
    final parameter Integer nx = if band then 2*order else order "Number of states";
    parameter Real x_start[nx] = zeros(nx) "Start values of the states";
    parameter Real y_start = 0 "Start value of the output";
    parameter Real u_nominal = 1.0 "Scale of the states";
    Interfaces.RealOutput x[nx] "First-order stages, then pairs of second-order stages in rotating form: the second one is
      the low-pass output, and der(second) = b*first + a*second with the poles a +- j b"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
  protected
    final parameter Boolean band = filterType == Types.FilterType.BandPass or filterType == Types.FilterType.BandStop
      "A band filter" annotation(Evaluate=true);
    final parameter Integer ncr = if analogFilter == Types.AnalogFilter.CriticalDamping then order else mod(order, 2)
      "Real poles of the prototype" annotation(Evaluate=true);
    final parameter Integer nc0 = div(order - ncr, 2) "Complex pole pairs of the prototype" annotation(Evaluate=true);
    final parameter Integer nr = if band then 0 else ncr "First-order stages" annotation(Evaluate=true);
    final parameter Integer na = if band then order else nc0 "Second-order stages" annotation(Evaluate=true);
    // The prototype has corner frequency 1: poles -cr[i] and pairs with magnitude cm[i] and damping cd[i]
    final parameter Real poles[order, 2] =
      Internal.prototype(Integer(analogFilter), order, A_ripple, normalized)
      "Magnitude and damping of the poles, pairs twice" annotation(Evaluate=true);
    final parameter Real wr[nr] = {Internal.realCorner(filterType == Types.FilterType.HighPass, poles[i, 1])
      *2*pi*f_cut for i in 1:nr} "Corner frequencies of the first-order stages";
    final parameter Real stage[na, 5] =
      if band then Internal.bandStages(poles, ncr, na, filterType == Types.FilterType.BandPass, 2*pi*f_min, 2*pi*f_cut)
      else Internal.edgeStages(poles, ncr, na, filterType == Types.FilterType.HighPass, 2*pi*f_cut)
      "Frequency, damping, and weights of input and states in the output of the second-order stages";
    Real s[nx] "States: first-order stages, then pairs of low-pass output and its derivative over the frequency";
    Real z[nr + na + 1] "Signal before and after each stage";
  initial equation
    if init == Init.SteadyState then
      der(s) = zeros(nx);
    elseif init == Init.InitialState then
      x = x_start;
    elseif init == Init.InitialOutput then
      y = y_start;
      der(s[1:nx - 1]) = zeros(nx - 1);
    end if;
  equation
    assert(u_nominal > 0, "Filter: u_nominal must be positive");
    assert(f_cut > 0, "Filter: f_cut must be positive");
    assert(not band or f_min > 0 and f_min < f_cut, "Filter: f_min must be between 0 and f_cut");
    z[1] = u/u_nominal;
    for i in 1:nr loop
      der(s[i]) = wr[i]*(z[i] - s[i]);
      z[i + 1] = if filterType == Types.FilterType.HighPass then z[i] - s[i] else s[i];
      x[i] = s[i];
    end for;
    for i in 1:na loop
      der(s[nr + 2*i - 1]) = stage[i, 1]*s[nr + 2*i];
      der(s[nr + 2*i]) = stage[i, 1]*(z[nr + i] - s[nr + 2*i - 1] - 2*stage[i, 2]*s[nr + 2*i]);
      z[nr + i + 1] = stage[i, 3]*z[nr + i] + stage[i, 4]*s[nr + 2*i - 1] + stage[i, 5]*s[nr + 2*i];
      x[nr + 2*i - 1] = (s[nr + 2*i] + stage[i, 2]*s[nr + 2*i - 1])/(if stage[i, 2] < 1 then sqrt(1 - stage[i, 2]^2) else 1);
      x[nr + 2*i] = s[nr + 2*i - 1];
    end for;
    y = gain*u_nominal*z[nr + na + 1];
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,150},{150,110}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-90,40},{90,-40}}, textString="Filter", textColor={0,0,127})}));
  end Filter;

  package Internal "Design of filters"
    function prototype "Poles of a low pass with corner frequency 1"
      input Integer pattern "1 critical damping, 2 Bessel, 3 Butterworth, 4 Chebyshev I";
      input Integer n "Order";
      input Real ripple "Ripple of Chebyshev I in dB";
      input Boolean normalized "Amplitude -3 dB at frequency 1";
      output Real poles[n, 2] "Magnitude and damping; real poles first (damping 1), then each pair twice";
    protected
      constant Real drop = 10^0.3 "Square of the amplitude drop by 3 dB";
      Integer nReal = if pattern == 1 then n else mod(n, 2);
      Real scale = 1 "Frequency of the drop before normalization";
      Real re "Distance from the imaginary axis";
      Real im "Imaginary part";
      Real phi;
      Real epsilon;
      Real mu;
      Real level;
    algorithm
      if pattern == 1 then
        for i in 1:n loop
          poles[i, :] := {1, 1};
        end for;
        scale := sqrt(drop^(1/n) - 1);
      elseif pattern == 2 then
        poles := besselPoles(n);
        if normalized then
          scale := dropFrequency(poles, nReal, drop);
        end if;
      else
        epsilon := sqrt(10^(ripple/10) - 1);
        mu := if pattern == 4 then Modelica.Math.asinh(1/epsilon)/n else 0;
        if nReal == 1 then
          poles[1, :] := {if pattern == 4 then sinh(mu) else 1, 1};
        end if;
        for i in 1:div(n, 2) loop
          // Butterworth begins with the least damped pair, Chebyshev with the most damped one
          phi := Modelica.Constants.pi*(if pattern == 4 then 2*(div(n, 2) + 1 - i) - 1 else 2*i - 1)/(2*n);
          re := sin(phi)*(if pattern == 4 then sinh(mu) else 1);
          im := cos(phi)*(if pattern == 4 then cosh(mu) else 1);
          poles[nReal + 2*i - 1, :] := {sqrt(re^2 + im^2), re/sqrt(re^2 + im^2)};
          poles[nReal + 2*i, :] := poles[nReal + 2*i - 1, :];
        end for;
        if pattern == 4 then
          // |H|^2 = (1 + (epsilon T_n(0))^2)/(1 + (epsilon T_n(w))^2) with T_n(0)^2 = 0 or 1, T_n(w) = cosh(n acosh(w))
          level := sqrt(drop*(if nReal == 1 then 1 else 1 + epsilon^2) - 1)/epsilon;
          scale := cosh(Modelica.Math.acosh(level)/n);
        end if;
      end if;
      if normalized then
        for i in 1:n loop
          poles[i, 1] := poles[i, 1]/scale;
        end for;
      end if;
    end prototype;

    function dropFrequency "Frequency at which a monotone low pass has dropped to a level"
      input Real poles[:, 2] "Magnitude and damping";
      input Integer nReal "Number of real poles";
      input Real drop "Square of the drop";
      output Real w "Frequency";
    protected
      Real low = 0;
      Real high = 1;
    algorithm
      while attenuation(poles, nReal, high) < drop loop
        high := 2*high;
      end while;
      for i in 1:100 loop
        w := (low + high)/2;
        if attenuation(poles, nReal, w) < drop then
          low := w;
        else
          high := w;
        end if;
      end for;
    end dropFrequency;

    function attenuation "1/|H(j w)|^2 of a low pass"
      input Real poles[:, 2] "Magnitude and damping";
      input Integer nReal "Number of real poles";
      input Real w "Frequency";
      output Real result;
    protected
      Real r;
    algorithm
      result := 1;
      for i in 1:size(poles, 1) loop
        r := (w/poles[i, 1])^2;
        // a pair is in the list twice, so each entry counts with the square root
        result := result*(if i <= nReal then 1 + r else sqrt((1 - r)^2 + 4*poles[i, 2]^2*r));
      end for;
    end attenuation;

    function besselPoles "Roots of the reverse Bessel polynomial by simultaneous Newton steps (Aberth)"
      input Integer n "Degree";
      output Real poles[n, 2] "Magnitude and damping; a real pole first, then each pair twice";
    protected
      Real c[n + 1] "Coefficients from the constant up";
      Real re[n];
      Real im[n];
      Real p[2] "Value";
      Real d[2] "Derivative";
      Real q[2] "Correction";
      Real s[2] "Repulsion of the other roots";
      Real t[2];
      Integer k;
      Boolean used[n];
      Integer best;
    algorithm
      c[n + 1] := 1;
      for i in n:-1:1 loop
        // c_i/c_(i+1) for (2n - i)!/(2^(n - i) i! (n - i)!) with i counted from 0
        c[i] := c[i + 1]*(2*n - i + 1)*i/(2*(n - i + 1));
      end for;
      for i in 1:n loop
        re[i] := -n*(0.3 + 0.5*abs(sin(Modelica.Constants.pi*(i - 0.25)/n)));
        im[i] := n*0.9*cos(Modelica.Constants.pi*(i - 0.25)/n);
      end for;
      for iteration in 1:20 loop
        for i in 1:n loop
          p := {c[n + 1], 0};
          d := {0, 0};
          for j in n:-1:1 loop
            d := {d[1]*re[i] - d[2]*im[i] + p[1], d[1]*im[i] + d[2]*re[i] + p[2]};
            p := {p[1]*re[i] - p[2]*im[i] + c[j], p[1]*im[i] + p[2]*re[i]};
          end for;
          s := {0, 0};
          for j in 1:n loop
            if j <> i then
              t := {re[i] - re[j], im[i] - im[j]};
              s := s + {t[1], -t[2]}/(t*t);
            end if;
          end for;
          // q = p/d, then step q/(1 - q s)
          q := {p[1]*d[1] + p[2]*d[2], p[2]*d[1] - p[1]*d[2]}/(d*d);
          t := {1 - q[1]*s[1] + q[2]*s[2], -q[1]*s[2] - q[2]*s[1]};
          q := {q[1]*t[1] + q[2]*t[2], q[2]*t[1] - q[1]*t[2]}/(t*t);
          re[i] := re[i] - q[1];
          im[i] := im[i] - q[2];
        end for;
      end for;
      // the real pole first, then the pairs by growing imaginary part
      k := 0;
      used := fill(false, n);
      if mod(n, 2) == 1 then
        best := 1;
        for i in 2:n loop
          if abs(im[i]) < abs(im[best]) then
            best := i;
          end if;
        end for;
        used[best] := true;
        poles[1, :] := {-re[best], 1};
        k := 1;
      end if;
      while k < n loop
        best := 0;
        for i in 1:n loop
          if not used[i] and im[i] > 0 then
            if best == 0 then
              best := i;
            elseif im[i] < im[best] then
              best := i;
            end if;
          end if;
        end for;
        used[best] := true;
        t[1] := sqrt(re[best]^2 + im[best]^2);
        poles[k + 1, :] := {t[1], -re[best]/t[1]};
        poles[k + 2, :] := poles[k + 1, :];
        k := k + 2;
      end while;
    end besselPoles;

    function realCorner "Corner of a first-order stage after the change to low or high pass"
      input Boolean highPass;
      input Real magnitude "Magnitude of the prototype pole";
      output Real w;
    algorithm
      w := if highPass then 1/magnitude else magnitude;
    end realCorner;

    function edgeStages "Second-order stages of a low or high pass"
      input Real poles[:, 2] "Prototype";
      input Integer nReal "Real poles of the prototype";
      input Integer n "Number of stages";
      input Boolean highPass;
      input Real w "Cut-off frequency";
      output Real stage[n, 5];
    protected
      Real magnitude;
      Real damping;
    algorithm
      for i in 1:n loop
        magnitude := poles[nReal + 2*i, 1];
        damping := poles[nReal + 2*i, 2];
        stage[i, :] := if highPass then {w/magnitude, damping, 1, -1, -2*damping}
          else {w*magnitude, damping, 0, 1, 0};
      end for;
    end edgeStages;

    function bandStages "Second-order stages of a band filter"
      input Real poles[:, 2] "Prototype";
      input Integer nReal "Real poles of the prototype";
      input Integer n "Number of stages";
      input Boolean pass "Band pass rather than band stop";
      input Real w_min "Lower cut-off frequency";
      input Real w_max "Upper cut-off frequency";
      output Real stage[n, 5];
    protected
      Real w0 = sqrt(w_min*w_max) "Middle of the band";
      Real B = (w_max - w_min)/w0 "Relative width of the band";
      Real m "Relative width times magnitude of the pole";
      Real d "Damping of the pole";
      Real g;
      Real h;
      Real r "Ratio of the frequencies of two stages to the middle";
      Real D "Their common damping";
      Integer j;
    algorithm
      // s^2 + m s + 1 for a real pole, and the quartic (s^2 + 1)^2 + 2 d m s (s^2 + 1) + m^2 s^2 for a pair,
      // which is (s^2 + 2 D r s + r^2)(s^2 + 2 D/r s + 1/r^2)
      for i in 1:nReal loop
        m := if pass then B*poles[i, 1] else B/poles[i, 1];
        stage[i, :] := if pass then {w0, m/2, 0, 0, m} else {w0, m/2, 1, 0, -m};
      end for;
      for i in 1:div(n - nReal, 2) loop
        j := nReal + 2*i;
        d := poles[j, 2];
        m := if pass then B*poles[j, 1] else B/poles[j, 1];
        // with h = r + 1/r: D = d m/h and h^2 - 2 + 4 D^2 = 2 + m^2
        g := (4 + m^2)/2;
        h := sqrt(g + sqrt(g^2 - 4*d^2*m^2));
        D := d*m/h;
        r := (h + sqrt(h^2 - 4))/2;
        stage[j - 1, :] := if pass then {w0*r, D, 0, 0, m/r} else {w0*r, D, 1, 1/r^2 - 1, -2*D};
        stage[j, :] := if pass then {w0/r, D, 0, 0, m*r} else {w0/r, D, 1, r^2 - 1, -2*D};
      end for;
    end bandStages;
  end Internal;
end Continuous;
