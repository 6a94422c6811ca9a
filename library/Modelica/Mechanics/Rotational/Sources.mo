within Modelica.Mechanics.Rotational;
package Sources "Prescribed motion and prescribed torques"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Regularization;

  model Position "Turns a flange to a reference angle"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    parameter Boolean exact = false "true: follow the signal exactly, false: through a filter" annotation(Evaluate=true);
    parameter SI.Frequency f_crit = 50 "Critical frequency of the filter";
    SI.Angle phi(stateSelect=if exact then StateSelect.default else StateSelect.prefer)
      "Flange seen from the housing";
    SI.AngularVelocity w(start=0, stateSelect=if exact then StateSelect.default else StateSelect.prefer)
      "Speed (0 when exact)";
    SI.AngularAcceleration a(start=0) "Acceleration (0 when exact)";
    Modelica.Blocks.Interfaces.RealInput phi_ref(final quantity="Angle", final unit="rad", displayUnit="deg")
      "Reference angle"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    parameter SI.AngularFrequency w_crit = 2*Modelica.Constants.pi*f_crit "Critical angular frequency";
    constant Real af = 1.3617 "Bessel filter of second order, coefficient of the speed";
    constant Real bf = 0.6180 "Bessel filter of second order, coefficient of the acceleration";
  initial equation
    if not exact then
      phi = phi_ref;
    end if;
  equation
    flange.phi = phi_support + phi;
    if exact then
      phi = phi_ref;
      w = 0;
      a = 0;
    else
      der(phi) = w;
      der(w) = a;
      phi + af*w/w_crit + bf*a/w_crit^2 = phi_ref;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Position", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Position;

  model Speed "Turns a flange with a reference speed"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    parameter Boolean exact = false "true: follow the signal exactly, false: through a filter" annotation(Evaluate=true);
    parameter SI.Frequency f_crit = 50 "Critical frequency of the filter";
    SI.Angle phi(start=0, fixed=true, stateSelect=StateSelect.prefer) "Flange seen from the housing";
    SI.AngularVelocity w(stateSelect=if exact then StateSelect.default else StateSelect.prefer) "Speed";
    SI.AngularAcceleration a "Acceleration (0 when exact)";
    Modelica.Blocks.Interfaces.RealInput w_ref(unit="rad/s") "Reference speed"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    parameter SI.AngularFrequency w_crit = 2*Modelica.Constants.pi*f_crit "Critical angular frequency";
  initial equation
    if not exact then
      w = w_ref;
    end if;
  equation
    flange.phi = phi_support + phi;
    der(phi) = w;
    if exact then
      w = w_ref;
      a = 0;
    else
      der(w) = a;
      w + a/w_crit = w_ref;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Speed", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Speed;

  model Accelerate "Turns a flange with a reference acceleration"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    SI.Angle phi(start=0, fixed=true, stateSelect=StateSelect.prefer) "Flange seen from the housing";
    SI.AngularVelocity w(start=0, fixed=true, stateSelect=StateSelect.prefer) "Speed";
    SI.AngularAcceleration a "Acceleration";
    Modelica.Blocks.Interfaces.RealInput a_ref(unit="rad/s2") "Reference acceleration"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    flange.phi = phi_support + phi;
    der(phi) = w;
    der(w) = a;
    a = a_ref;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Accelerate", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Accelerate;

  model Move "Turns a flange by signals of angle, speed and acceleration"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    SI.Angle phi "Flange seen from the housing";
    Modelica.Blocks.Interfaces.RealInput u[3] "Angle, speed, acceleration"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    flange.phi = phi_support + phi;
    phi = Ferrica.Functions.motion(time, u[1], u[2], u[3]);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Move", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Move;

  model Torque "Torque from a signal"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    Modelica.Blocks.Interfaces.RealInput tau(unit="N.m") "Torque on what is connected"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    flange.tau = -tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Torque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Torque;

  model Torque2 "Torque from a signal, between two flanges"
    extends Interfaces.PartialTwoFlanges;
    Modelica.Blocks.Interfaces.RealInput tau(unit="N.m") "Torque that turns the flanges apart"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    flange_a.tau = tau;
    flange_b.tau = -tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Torque2", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Torque2;

  model InverseSpeedDependentTorque "Torque inversely proportional to speed (constant power)"
    extends Interfaces.PartialTorque;
    parameter SI.Torque tau_nominal "Torque at w_nominal (negative: a load)";
    parameter Boolean TorqueDirection = true "true: the same direction for both directions of rotation";
    parameter SI.AngularVelocity w_nominal(min=Modelica.Constants.eps) "Nominal speed";
    parameter SI.AngularVelocity w0(final min=Modelica.Constants.eps, start=0.1) "Constant or linear below w0";
    SI.AngularVelocity w "Speed relative to the support";
    SI.Torque tau "Torque on what is connected";
  equation
    w = der(phi);
    flange.tau = -tau;
    if TorqueDirection then
      tau = tau_nominal*w_nominal/(if abs(w) < w0 then w0 else abs(w));
    else
      tau = tau_nominal*(if abs(w) < w0 then w/w0 else w_nominal/w);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="InverseSpeedDependentTorque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end InverseSpeedDependentTorque;

  model LinearSpeedDependentTorque "Torque proportional to speed"
    extends Interfaces.PartialTorque;
    parameter SI.Torque tau_nominal "Torque at w_nominal (negative: a load)";
    parameter Boolean TorqueDirection = true "true: the same direction for both directions of rotation";
    parameter SI.AngularVelocity w_nominal(min=Modelica.Constants.eps) "Nominal speed";
    SI.AngularVelocity w "Speed relative to the support";
    SI.Torque tau "Torque on what is connected";
  equation
    w = der(phi);
    flange.tau = -tau;
    tau = tau_nominal/w_nominal*(if TorqueDirection then abs(w) else w);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="LinearSpeedDependentTorque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end LinearSpeedDependentTorque;

  model QuadraticSpeedDependentTorque "Torque proportional to the square of speed"
    extends Interfaces.PartialTorque;
    parameter SI.Torque tau_nominal "Torque at w_nominal (negative: a load)";
    parameter Boolean TorqueDirection = true "true: the same direction for both directions of rotation";
    parameter SI.AngularVelocity w_nominal(min=Modelica.Constants.eps) "Nominal speed";
    SI.AngularVelocity w "Speed relative to the support";
    SI.Torque tau "Torque on what is connected";
  equation
    w = der(phi);
    flange.tau = -tau;
    tau = tau_nominal/w_nominal^2*(if TorqueDirection then w^2 else smooth(1, if w >= 0 then w^2 else -w^2));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="QuadraticSpeedDependentTorque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end QuadraticSpeedDependentTorque;

  model ConstantTorque "Constant torque"
    extends Interfaces.PartialTorque;
    parameter SI.Torque tau_constant "Torque (negative: a load in positive direction)";
    SI.AngularVelocity w "Speed relative to the support";
    SI.Torque tau "Torque on what is connected";
  equation
    w = der(phi);
    flange.tau = -tau;
    tau = tau_constant;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ConstantTorque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ConstantTorque;

  model SignTorque "Constant torque against or along the rotation"
    extends Interfaces.PartialTorque;
    parameter SI.Torque tau_nominal "Torque (negative: a load)";
    parameter Regularization reg = Regularization.Exp "Shape of the sign change" annotation(Evaluate=true);
    parameter SI.AngularVelocity w0(final min=Modelica.Constants.eps, start=0.1) "Width of the sign change";
    SI.AngularVelocity w "Speed relative to the support";
    SI.Torque tau "Torque on what is connected";
  equation
    w = der(phi);
    flange.tau = -tau;
    tau = tau_nominal*(
      if reg == Regularization.Exp then tanh(50*w/w0)
      elseif abs(w) >= w0 then sign(w)
      elseif reg == Regularization.Sine then sin(Modelica.Constants.pi/2*w/w0)
      elseif reg == Regularization.Linear then w/w0
      else sign(w)*(1 - cos(Modelica.Constants.pi/2*w/w0)));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SignTorque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SignTorque;

  model ConstantSpeed "Constant speed"
    extends Interfaces.PartialTorque;
    parameter SI.AngularVelocity w_fixed "Speed";
    SI.AngularVelocity w "Speed relative to the support";
  equation
    der(phi) = w;
    w = w_fixed;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ConstantSpeed", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ConstantSpeed;

  model TorqueStep "Torque that steps at a given time"
    extends Interfaces.PartialTorque;
    parameter SI.Torque stepTorque(start=1) "Height of the step (negative: a load)";
    parameter SI.Torque offsetTorque(start=0) "Torque before the step";
    parameter SI.Time startTime = 0 "Time of the step";
    SI.Torque tau "Torque on what is connected";
  equation
    flange.tau = -tau;
    tau = if time < startTime then offsetTorque else offsetTorque + stepTorque;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="TorqueStep", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end TorqueStep;

  model EddyCurrentTorque "Eddy-current brake"
    extends Interfaces.PartialTorque;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPort;
    parameter Boolean useExcitationInput = false "true: excitation from the input";
    parameter Real constantExcitation = 1 "Excitation; 1 gives the largest torque tau_nominal";
    parameter SI.Torque tau_nominal "Largest braking torque";
    parameter SI.AngularVelocity w_nominal(min=Modelica.Constants.eps) "Speed of the largest torque at TRef";
    parameter SI.Temperature TRef(start=293.15) "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha20(start=0) "Temperature coefficient of resistance at 20 degC";
    SI.Torque tau "Torque at the flange";
    SI.AngularVelocity w "Speed relative to the support";
    Real w_normalized "Speed over the speed of the largest torque";
    Modelica.Blocks.Interfaces.RealInput excitation = excitationInternal if useExcitationInput "Excitation"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  protected
    Real excitationInternal "Excitation in use";
  equation
    if not useExcitationInput then
      excitationInternal = constantExcitation;
    end if;
    w = der(phi);
    flange.tau = tau;
    w = w_normalized*w_nominal*(1 + alpha20/(1 + alpha20*(TRef - 293.15))*(TheatPort - TRef));
    tau = tau_nominal*excitationInternal^2*2*w_normalized/(1 + w_normalized^2);
    lossPower = w*tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="EddyCurrentTorque", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end EddyCurrentTorque;
end Sources;
