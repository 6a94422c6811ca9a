within Modelica.Mechanics.Translational;
package Components "Masses, springs, dampers, friction and stops"
  import Modelica.Units.SI;

  model Fixed "Flange at a fixed position"
    parameter SI.Position s0 = 0 "Position";
    Interfaces.Flange_b flange "Flange that does not move"
      annotation(Placement(transformation(extent={{-10,-10},{10,10}})));
  equation
    flange.s = s0;
    annotation(Icon(graphics={
      Line(points={{-70,-20},{70,-20}}, color={0,127,0}),
      Line(points={{-60,-20},{-80,-44}}, color={0,127,0}),
      Line(points={{-30,-20},{-50,-44}}, color={0,127,0}),
      Line(points={{0,-20},{-20,-44}}, color={0,127,0}),
      Line(points={{30,-20},{10,-44}}, color={0,127,0}),
      Line(points={{60,-20},{40,-44}}, color={0,127,0}),
      Line(points={{0,0},{0,-20}}, color={0,127,0}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,127})}));
  end Fixed;

  model Mass "Rigid sliding mass"
    parameter SI.Mass m(min=0, start=1) "Mass";
    parameter StateSelect stateSelect = StateSelect.default "How much s and v are wanted as states";
    extends Interfaces.PartialRigid(L=0, s(start=0, stateSelect=stateSelect));
    SI.Velocity v(start=0, stateSelect=stateSelect) "Velocity";
    SI.Acceleration a(start=0) "Acceleration";
  equation
    der(s) = v;
    der(v) = a;
    flange_a.f + flange_b.f = m*a;
    annotation(Icon(graphics={
      Line(points={{-90,0},{90,0}}, color={0,127,0}),
      Rectangle(extent={{-60,40},{60,-40}}, lineColor={0,127,0}, fillColor={200,225,200}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-60},{150,-90}}, textString="m = %m", textColor={0,0,0})}));
  end Mass;

  model Rod "Rigid rod without mass"
    extends Interfaces.PartialRigid;
  equation
    flange_a.f + flange_b.f = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,6},{90,-6}}, lineColor={0,127,0}, fillColor={200,225,200}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,70},{150,30}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-30},{150,-60}}, textString="L = %L", textColor={0,0,0})}));
  end Rod;

  model Spring "Linear spring"
    extends Interfaces.PartialCompliant;
    parameter SI.TranslationalSpringConstant c(final min=0, start=1) "Stiffness";
    parameter SI.Distance s_rel0 = 0 "Length without force";
  equation
    f = c*(s_rel - s_rel0);
    annotation(Icon(graphics={
      Line(points={{-90,0},{-60,0},{-50,-28},{-30,28},{-10,-28},{10,28},{30,-28},{50,28},{60,0},{90,0}}, color={0,127,0}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-60},{150,-90}}, textString="c = %c", textColor={0,0,0})}));
  end Spring;

  model Damper "Linear damper"
    extends Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    parameter SI.TranslationalDampingConstant d(final min=0, start=0) "Damping";
  equation
    f = d*v_rel;
    lossPower = f*v_rel;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-20,0}}, color={0,127,0}),
      Line(points={{-20,24},{-20,-24}}, color={0,127,0}),
      Line(points={{-50,30},{40,30},{40,-30},{-50,-30}}, color={0,127,0}),
      Line(points={{40,0},{90,0}}, color={0,127,0}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-60},{150,-90}}, textString="d = %d", textColor={0,0,0})}));
  end Damper;

  model SpringDamper "Linear spring and linear damper side by side"
    extends Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    parameter SI.TranslationalSpringConstant c(final min=0, start=1) "Stiffness";
    parameter SI.TranslationalDampingConstant d(final min=0, start=1) "Damping";
    parameter SI.Position s_rel0 = 0 "Length without spring force";
  protected
    SI.Force f_c "Force of the spring";
    SI.Force f_d "Force of the damper";
  equation
    f_c = c*(s_rel - s_rel0);
    f_d = d*v_rel;
    f = f_c + f_d;
    lossPower = v_rel*f_d;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-70,0},{-70,40},{-50,40},{-40,22},{-20,58},{0,22},{20,58},{40,22},{50,40},{70,40},{70,0},{90,0}}, color={0,127,0}),
      Line(points={{-70,0},{-70,-40},{-10,-40}}, color={0,127,0}),
      Line(points={{-10,-24},{-10,-56}}, color={0,127,0}),
      Line(points={{-34,-18},{30,-18},{30,-62},{-34,-62}}, color={0,127,0}),
      Line(points={{30,-40},{70,-40},{70,0}}, color={0,127,0}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-80},{150,-110}}, textString="c = %c, d = %d", textColor={0,0,0})}));
  end SpringDamper;

  model ElastoGap "Spring and damper that only push, across a gap"
    extends Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    parameter SI.TranslationalSpringConstant c(final min=0, start=1) "Stiffness";
    parameter SI.TranslationalDampingConstant d(final min=0, start=1) "Damping";
    parameter SI.Position s_rel0 = 0 "Distance at which the ends touch";
    parameter SI.Force f_ref(min=0) = c*s_ref "Spring force at the compression s_ref";
    parameter SI.Length s_ref(min=Modelica.Constants.eps) = 1 "Compression at which the spring force is f_ref";
    parameter Real n(final min=1) = 1 "Exponent of the spring force over compression";
    Boolean contact "true: the ends touch";
  protected
    SI.Force f_c "Spring force";
    SI.Force f_d2 "Damper force before limiting";
    SI.Force f_d "Damper force, not larger than the spring force, so that the ends never pull";
    Real ratio "Compression over s_ref, negative in contact";
  equation
    contact = s_rel < s_rel0;
    s_ref*ratio = s_rel - s_rel0;
    f_c = smooth(1, noEvent(if contact then -f_ref*abs(ratio)^n else 0));
    f_d2 = if contact then d*v_rel else 0;
    f_d = smooth(0, noEvent(if contact then max(f_c, min(-f_c, f_d2)) else 0));
    f = f_c + f_d;
    lossPower = v_rel*f_d;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ElastoGap", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ElastoGap;

  model IdealGearR2T "Ideal rack and pinion"
    extends Modelica.Mechanics.Rotational.Components.IdealGearR2T;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealGearR2T", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealGearR2T;

  model IdealRollingWheel "Wheel that rolls without slip, without inertia"
    extends Modelica.Mechanics.Rotational.Components.IdealRollingWheel;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealRollingWheel", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealRollingWheel;

  model RollingResistance "Resistance of a rolling wheel"
    extends Interfaces.PartialForce;
    import Modelica.Blocks.Types.Regularization;
    parameter SI.Force fWeight(start=0) "Weight on the wheel";
    parameter Boolean useCrInput = false "true: coefficient from the input cr";
    parameter Real CrConstant = 0.01 "Coefficient of rolling resistance";
    parameter Boolean useInclinationInput = false "true: slope from the input inclination";
    parameter Real inclinationConstant = 0 "Slope, tangent of the angle";
    parameter Regularization reg = Regularization.Exp "Shape of the sign change" annotation(Evaluate=true);
    parameter SI.Velocity v0(final min=Modelica.Constants.eps) = 0.1 "Width of the sign change";
    SI.Velocity v "Velocity relative to the support";
    SI.Force f_nominal "Resistance far from v = 0 (negative)";
    Modelica.Blocks.Interfaces.RealInput inclination = inclination_internal if useInclinationInput "Slope"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput cr = Cr_internal if useCrInput "Coefficient"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
  protected
    Real Cr_internal "Coefficient in use";
    Real inclination_internal "Slope in use";
  equation
    if not useCrInput then
      Cr_internal = CrConstant;
    end if;
    if not useInclinationInput then
      inclination_internal = inclinationConstant;
    end if;
    v = der(s);
    f_nominal*sqrt(1 + inclination_internal^2) = -Cr_internal*fWeight;
    f = -f_nominal*(
      if reg == Regularization.Exp then tanh(50*v/v0)
      elseif abs(v) >= v0 then sign(v)
      elseif reg == Regularization.Sine then sin(Modelica.Constants.pi/2*v/v0)
      elseif reg == Regularization.Linear then v/v0
      else sign(v)*(1 - cos(Modelica.Constants.pi/2*v/v0)));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RollingResistance", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RollingResistance;

  model RelativeStates "Makes the distance of two flanges a state, without force"
    extends Interfaces.PartialTwoFlanges;
    parameter StateSelect stateSelect = StateSelect.prefer "How much s_rel and v_rel are wanted as states";
    SI.Position s_rel(start=0, stateSelect=StateSelect.prefer) "Distance";
    SI.Velocity v_rel(start=0, stateSelect=StateSelect.prefer) "Rate of the distance";
    SI.Acceleration a_rel(start=0) "Rate of v_rel";
  equation
    flange_b.s = flange_a.s + s_rel;
    der(s_rel) = v_rel;
    der(v_rel) = a_rel;
    flange_a.f = 0;
    flange_b.f = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelativeStates", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelativeStates;

  model InitializeFlange "Sets position, velocity or acceleration of a flange at the start only"
    parameter Boolean use_s_start = true "true: initial position from s_start";
    parameter Boolean use_v_start = true "true: initial velocity from v_start";
    parameter Boolean use_a_start = true "true: initial acceleration from a_start";
    parameter StateSelect stateSelect = StateSelect.default "How much position and velocity are wanted as states";
    Modelica.Blocks.Interfaces.RealInput s_start(unit="m") = s_wanted if use_s_start "Initial position"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput v_start(unit="m/s") = v_wanted if use_v_start "Initial velocity"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Modelica.Blocks.Interfaces.RealInput a_start(unit="m/s2") = a_wanted if use_a_start "Initial acceleration"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
    Interfaces.Flange_b flange "Flange that is initialized"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    SI.Position s_flange(stateSelect=stateSelect) = flange.s "Position of the flange";
    SI.Velocity v_flange(stateSelect=stateSelect) = der(s_flange) "Velocity of the flange";
  protected
    SI.Position s_wanted "Position at the start";
    SI.Velocity v_wanted "Velocity at the start";
    SI.Acceleration a_wanted "Acceleration at the start";
  initial equation
    if use_s_start then
      s_flange = s_wanted;
    end if;
    if use_v_start then
      v_flange = v_wanted;
    end if;
    if use_a_start then
      der(v_flange) = a_wanted;
    end if;
  equation
    flange.f = 0;
    if not use_s_start then
      s_wanted = 0;
    end if;
    if not use_v_start then
      v_wanted = 0;
    end if;
    if not use_a_start then
      a_wanted = 0;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="InitializeFlange", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end InitializeFlange;

  model GeneralPositionToForceAdaptor "A flange as signals: motion in, force out"
    extends Modelica.Blocks.Interfaces.Adaptors.PotentialToFlowAdaptor(final Name_p="s", final Name_pder="v", final Name_pder2="a",
      final Name_f="f", final Name_fder="der(f)", final Name_fder2="der2(f)", final use_fder=false, final use_fder2=false,
      p(unit="m"), pder(unit="m/s"), pder2(unit="m/s2"), f(unit="N"));
    Interfaces.Flange_b flange "Flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    y = flange.f;
    u = flange.s;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralPositionToForceAdaptor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralPositionToForceAdaptor;

  model GeneralForceToPositionAdaptor "A flange as signals: force in, motion out"
    extends Modelica.Blocks.Interfaces.Adaptors.FlowToPotentialAdaptor(final Name_p="s", final Name_pder="v", final Name_pder2="a",
      final Name_f="f", final Name_fder="der(f)", final Name_fder2="der2(f)", final use_fder=false, final use_fder2=false,
      p(unit="m"), pder(unit="m/s"), pder2(unit="m/s2"), f(unit="N"));
    Interfaces.Flange_a flange "Flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    y = flange.s;
    u = flange.f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralForceToPositionAdaptor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralForceToPositionAdaptor;
end Components;
