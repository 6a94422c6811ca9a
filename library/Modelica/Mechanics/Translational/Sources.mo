within Modelica.Mechanics.Translational;
package Sources "Prescribed motion and prescribed forces"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Regularization;

  model Position "Moves a flange to a reference position"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2(
      s(stateSelect=if exact then StateSelect.default else StateSelect.prefer));
    parameter Boolean exact = false "true: follow the signal exactly, false: through a filter" annotation(Evaluate=true);
    parameter SI.Frequency f_crit = 50 "Critical frequency of the filter";
    SI.Velocity v(start=0, stateSelect=if exact then StateSelect.default else StateSelect.prefer)
      "Velocity (0 when exact)";
    SI.Acceleration a(start=0) "Acceleration (0 when exact)";
    Modelica.Blocks.Interfaces.RealInput s_ref(unit="m") "Reference position"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    parameter SI.AngularFrequency w_crit = 2*Modelica.Constants.pi*f_crit "Critical angular frequency";
    constant Real af = 1.3617 "Bessel filter of second order, coefficient of the velocity";
    constant Real bf = 0.6180 "Bessel filter of second order, coefficient of the acceleration";
  initial equation
    if not exact then
      s = s_ref;
    end if;
  equation
    if exact then
      s = s_ref;
      v = 0;
      a = 0;
    else
      der(s) = v;
      der(v) = a;
      s + af*v/w_crit + bf*a/w_crit^2 = s_ref;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Position", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Position;

  model Speed "Moves a flange with a reference velocity"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2(
      s(start=0, fixed=true, stateSelect=StateSelect.prefer));
    parameter Boolean exact = false "true: follow the signal exactly, false: through a filter" annotation(Evaluate=true);
    parameter SI.Frequency f_crit = 50 "Critical frequency of the filter";
    SI.Velocity v(stateSelect=if exact then StateSelect.default else StateSelect.prefer) "Velocity";
    SI.Acceleration a "Acceleration (0 when exact)";
    Modelica.Blocks.Interfaces.RealInput v_ref(unit="m/s") "Reference velocity"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    parameter SI.AngularFrequency w_crit = 2*Modelica.Constants.pi*f_crit "Critical angular frequency";
  initial equation
    if not exact then
      v = v_ref;
    end if;
  equation
    der(s) = v;
    if exact then
      v = v_ref;
      a = 0;
    else
      der(v) = a;
      v + a/w_crit = v_ref;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Speed", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Speed;

  model Accelerate "Moves a flange with a reference acceleration"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2(
      s(start=0, fixed=true, stateSelect=StateSelect.prefer));
    SI.Velocity v(start=0, fixed=true, stateSelect=StateSelect.prefer) "Velocity";
    SI.Acceleration a "Acceleration";
    Modelica.Blocks.Interfaces.RealInput a_ref(unit="m/s2") "Reference acceleration"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    der(s) = v;
    der(v) = a;
    a = a_ref;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Accelerate", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Accelerate;

  model Move "Moves a flange by signals of position, velocity and acceleration"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    Modelica.Blocks.Interfaces.RealInput u[3] "Position, velocity, acceleration"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    s = Ferrica.Functions.motion(time, u[1], u[2], u[3]);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Move", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Move;

  model Force "Force from a signal"
    extends Interfaces.PartialElementaryOneFlangeAndSupport2;
    Modelica.Blocks.Interfaces.RealInput f(unit="N") "Force on what is connected"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    flange.f = -f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Force", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Force;

  model Force2 "Force from a signal, between two flanges"
    extends Interfaces.PartialTwoFlanges;
    Modelica.Blocks.Interfaces.RealInput f(unit="N") "Force that drives the flanges apart"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  equation
    flange_a.f = f;
    flange_b.f = -f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Force2", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Force2;

  model InverseSpeedDependentForce "Force inversely proportional to speed (constant power)"
    extends Interfaces.PartialForce;
    parameter SI.Force f_nominal "Force at v_nominal (negative: a load)";
    parameter Boolean ForceDirection = true "true: the same direction for both directions of motion";
    parameter SI.Velocity v_nominal(min=Modelica.Constants.eps) "Nominal velocity";
    parameter SI.Velocity v0(final min=Modelica.Constants.eps, start=0.1) "Constant or linear below v0";
    SI.Velocity v "Velocity relative to the support";
  equation
    v = der(s);
    if ForceDirection then
      f = -f_nominal*v_nominal/(if abs(v) < v0 then v0 else abs(v));
    else
      f = -f_nominal*(if abs(v) < v0 then v/v0 else v_nominal/v);
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="InverseSpeedDependentForce", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end InverseSpeedDependentForce;

  model LinearSpeedDependentForce "Force proportional to speed"
    extends Interfaces.PartialForce;
    parameter SI.Force f_nominal "Force at v_nominal (negative: a load)";
    parameter Boolean ForceDirection = true "true: the same direction for both directions of motion";
    parameter SI.Velocity v_nominal(min=Modelica.Constants.eps) "Nominal velocity";
    SI.Velocity v "Velocity relative to the support";
  equation
    v = der(s);
    f = -f_nominal/v_nominal*(if ForceDirection then abs(v) else v);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="LinearSpeedDependentForce", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end LinearSpeedDependentForce;

  model QuadraticSpeedDependentForce "Force proportional to the square of speed"
    extends Interfaces.PartialForce;
    parameter SI.Force f_nominal "Force at v_nominal (negative: a load)";
    parameter Boolean ForceDirection = true "true: the same direction for both directions of motion";
    parameter SI.Velocity v_nominal(min=Modelica.Constants.eps) "Nominal velocity";
    SI.Velocity v "Velocity relative to the support";
  equation
    v = der(s);
    f = -f_nominal/v_nominal^2*(if ForceDirection then v^2 else smooth(1, if v >= 0 then v^2 else -v^2));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="QuadraticSpeedDependentForce", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end QuadraticSpeedDependentForce;

  model ConstantForce "Constant force"
    extends Interfaces.PartialForce;
    parameter SI.Force f_constant "Force (negative: a load in positive direction)";
  equation
    f = -f_constant;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ConstantForce", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ConstantForce;

  model SignForce "Constant force against or along the motion"
    extends Interfaces.PartialForce;
    parameter SI.Force f_nominal "Force (negative: a load)";
    parameter Regularization reg = Regularization.Exp "Shape of the sign change" annotation(Evaluate=true);
    parameter SI.Velocity v0(final min=Modelica.Constants.eps, start=0.1) "Width of the sign change";
    SI.Velocity v "Velocity relative to the support";
  equation
    v = der(s);
    f = -f_nominal*(
      if reg == Regularization.Exp then tanh(50*v/v0)
      elseif abs(v) >= v0 then sign(v)
      elseif reg == Regularization.Sine then sin(Modelica.Constants.pi/2*v/v0)
      elseif reg == Regularization.Linear then v/v0
      else sign(v)*(1 - cos(Modelica.Constants.pi/2*v/v0)));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SignForce", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SignForce;

  model ConstantSpeed "Constant velocity"
    extends Interfaces.PartialForce;
    parameter SI.Velocity v_fixed "Velocity";
    SI.Velocity v "Velocity relative to the support";
  equation
    der(s) = v;
    v = v_fixed;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ConstantSpeed", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ConstantSpeed;

  model ForceStep "Force that steps at a given time"
    extends Interfaces.PartialForce;
    parameter SI.Force stepForce(start=1) "Height of the step (negative: a load)";
    parameter SI.Force offsetForce(start=0) "Force before the step";
    parameter SI.Time startTime = 0 "Time of the step";
  equation
    f = -(if time < startTime then offsetForce else offsetForce + stepForce);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ForceStep", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ForceStep;

  model EddyCurrentForce "Eddy-current brake"
    extends Interfaces.PartialForce;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPort;
    parameter Boolean useExcitationInput = false "true: excitation from the input";
    parameter Real constantExcitation = 1 "Excitation; 1 gives the largest force f_nominal";
    parameter SI.Force f_nominal "Largest braking force";
    parameter SI.Velocity v_nominal(min=Modelica.Constants.eps) "Velocity of the largest force at TRef";
    parameter SI.Temperature TRef(start=293.15) "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha20(start=0) "Temperature coefficient of resistance at 20 degC";
    SI.Velocity v "Velocity relative to the support";
    Real v_normalized "Velocity over the velocity of the largest force";
    Modelica.Blocks.Interfaces.RealInput excitation = excitationInternal if useExcitationInput "Excitation"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  protected
    Real excitationInternal "Excitation in use";
  equation
    if not useExcitationInput then
      excitationInternal = constantExcitation;
    end if;
    v = der(s);
    v = v_normalized*v_nominal*(1 + alpha20/(1 + alpha20*(TRef - 293.15))*(TheatPort - TRef));
    f = f_nominal*excitationInternal^2*2*v_normalized/(1 + v_normalized^2);
    lossPower = v*f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="EddyCurrentForce", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end EddyCurrentForce;
end Sources;
