within Modelica.Mechanics.Rotational;
package Components "Inertias, springs, dampers, friction and gears"
  import Modelica.Units.SI;

  model Fixed "Flange at a fixed angle"
    parameter SI.Angle phi0 = 0 "Angle";
    Interfaces.Flange_b flange "Flange that does not turn"
      annotation(Placement(transformation(extent={{-10,-10},{10,10}})));
  equation
    flange.phi = phi0;
    annotation(Icon(graphics={
      Line(points={{-70,-20},{70,-20}}, color={95,95,95}),
      Line(points={{-60,-20},{-80,-44}}, color={95,95,95}),
      Line(points={{-30,-20},{-50,-44}}, color={95,95,95}),
      Line(points={{0,-20},{-20,-44}}, color={95,95,95}),
      Line(points={{30,-20},{10,-44}}, color={95,95,95}),
      Line(points={{60,-20},{40,-44}}, color={95,95,95}),
      Line(points={{0,0},{0,-20}}, color={95,95,95}),
      Text(extent={{-150,-60},{150,-100}}, textString="%name", textColor={0,0,127})}));
  end Fixed;

  model Inertia "Rigid turning mass"
    extends Interfaces.PartialTwoFlanges;
    parameter SI.Inertia J(min=0, start=1) "Moment of inertia";
    parameter StateSelect stateSelect = StateSelect.default "How much phi and w are wanted as states"
      annotation(HideResult=true);
    SI.Angle phi(stateSelect=stateSelect) "Angle";
    SI.AngularVelocity w(stateSelect=stateSelect) "Angular velocity";
    SI.AngularAcceleration a "Angular acceleration";
  equation
    flange_a.phi = phi;
    flange_b.phi = phi;
    der(phi) = w;
    der(w) = a;
    flange_a.tau + flange_b.tau = J*a;
    annotation(Icon(graphics={
      Rectangle(extent={{-92,8},{-44,-8}}, lineColor={95,95,95}, fillColor={205,205,205}, fillPattern=FillPattern.Solid),
      Rectangle(extent={{-44,48},{44,-48}}, lineColor={95,95,95}, fillColor={205,205,205}, fillPattern=FillPattern.Solid),
      Rectangle(extent={{44,8},{92,-8}}, lineColor={95,95,95}, fillColor={205,205,205}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,100},{150,60}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-60},{150,-90}}, textString="J = %J", textColor={0,0,0})}));
  end Inertia;

  model Disc "Rigid shaft without inertia, with a fixed angle between its flanges"
    extends Interfaces.PartialTwoFlanges;
    parameter SI.Angle deltaPhi = 0 "flange_b.phi - flange_a.phi";
    SI.Angle phi "Mean angle of the flanges";
  equation
    flange_a.phi = phi - deltaPhi/2;
    flange_b.phi = phi + deltaPhi/2;
    flange_a.tau + flange_b.tau = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Disc", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Disc;

  model Spring "Linear torsion spring"
    extends Interfaces.PartialCompliant;
    parameter SI.RotationalSpringConstant c(final min=0, start=1.0e5) "Stiffness";
    parameter SI.Angle phi_rel0 = 0 "Twist without torque";
  equation
    tau = c*(phi_rel - phi_rel0);
    annotation(Icon(graphics={
      Line(points={{-90,0},{-60,0},{-50,-28},{-30,28},{-10,-28},{10,28},{30,-28},{50,28},{60,0},{90,0}}, color={95,95,95}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-60},{150,-90}}, textString="c = %c", textColor={0,0,0})}));
  end Spring;

  model Damper "Linear torsion damper"
    extends Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    parameter SI.RotationalDampingConstant d(final min=0, start=0) "Damping";
  equation
    tau = d*w_rel;
    lossPower = tau*w_rel;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-20,0}}, color={95,95,95}),
      Line(points={{-20,24},{-20,-24}}, color={95,95,95}),
      Line(points={{-50,30},{40,30},{40,-30},{-50,-30}}, color={95,95,95}),
      Line(points={{40,0},{90,0}}, color={95,95,95}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-60},{150,-90}}, textString="d = %d", textColor={0,0,0})}));
  end Damper;

  model SpringDamper "Linear torsion spring and damper side by side"
    extends Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    parameter SI.RotationalSpringConstant c(final min=0, start=1.0e5) "Stiffness";
    parameter SI.RotationalDampingConstant d(final min=0, start=0) "Damping";
    parameter SI.Angle phi_rel0 = 0 "Twist without spring torque";
  protected
    SI.Torque tau_c "Torque of the spring";
    SI.Torque tau_d "Torque of the damper";
  equation
    tau_c = c*(phi_rel - phi_rel0);
    tau_d = d*w_rel;
    tau = tau_c + tau_d;
    lossPower = w_rel*tau_d;
    annotation(Icon(graphics={
      Line(points={{-90,0},{-70,0},{-70,40},{-50,40},{-40,22},{-20,58},{0,22},{20,58},{40,22},{50,40},{70,40},{70,0},{90,0}}, color={95,95,95}),
      Line(points={{-70,0},{-70,-40},{-10,-40}}, color={95,95,95}),
      Line(points={{-10,-24},{-10,-56}}, color={95,95,95}),
      Line(points={{-34,-18},{30,-18},{30,-62},{-34,-62}}, color={95,95,95}),
      Line(points={{30,-40},{70,-40},{70,0}}, color={95,95,95}),
      Text(extent={{-150,110},{150,70}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-80},{150,-110}}, textString="c = %c, d = %d", textColor={0,0,0})}));
  end SpringDamper;

  model ElastoBacklash "Spring and damper in series with play; the torque is continuous"
    extends PartialBacklash;
  equation
    // The damper may not exceed the spring: the torque then neither pulls nor jumps at contact.
    tau_damping = if noPlay or initial() then tau_d
      elseif side == 0 then 0
      else smooth(0, noEvent(if side*(tau_c + tau_d) <= 0 then -tau_c else side*min(side*tau_c, side*tau_d)));
    lossPower = if noPlay or initial() then tau_d*w_rel
      elseif side == 0 then 0
      else smooth(0, noEvent(if side*(tau_c + tau_d) <= 0 then 0 else side*min(side*tau_c, side*tau_d)*w_rel));
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ElastoBacklash", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ElastoBacklash;

  model ElastoBacklash2 "Spring and damper in series with play; the torque jumps at contact"
    extends PartialBacklash;
  equation
    // The sum of spring and damper may not pull; at contact the damper torque begins at once.
    tau_damping = if noPlay or initial() then tau_d
      elseif side == 0 then 0
      elseif side*(tau_c + tau_d) <= 0 then -tau_c else tau_d;
    lossPower = if noPlay or initial() then tau_d*w_rel
      elseif side == 0 then 0
      elseif side*(tau_c + tau_d) <= 0 then 0 else tau_d*w_rel;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ElastoBacklash2", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ElastoBacklash2;

  partial model PartialBacklash "Play and spring of the two backlash models"
    extends Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    parameter SI.RotationalSpringConstant c(final min=Modelica.Constants.small, start=1.0e5) "Stiffness, positive";
    parameter SI.RotationalDampingConstant d(final min=0, start=0) "Damping";
    parameter SI.Angle b(final min=0) = 0 "Total play";
    parameter SI.Angle phi_rel0 = 0 "Twist in the middle of the play";
  protected
    constant SI.Angle bEps = 1e-10 "Less play than this is none (and makes no events)";
    final parameter SI.Angle bMax = b/2 "Half the play";
    final parameter SI.Angle bMin = -bMax "Half the play, to the left";
    final parameter Boolean noPlay = abs(b) <= bEps "true: no play";
    Integer side "-1, +1: contact on that side; 0: inside the play";
    SI.Angle phi_diff = phi_rel - phi_rel0 "Twist from the middle of the play";
    SI.Torque tau_c "Torque of the spring";
    SI.Torque tau_d "Torque of the damper before limiting";
    SI.Torque tau_damping "Torque of the damper in effect";
  equation
    side = if phi_diff > bMax then 1 elseif phi_diff < bMin then -1 else 0;
    // For initialization the flat part is replaced by a line through the origin, so that the torque
    // can be inverted; it meets the spring's line at three quarters of b.
    tau_c = if noPlay then c*phi_diff
      elseif initial() then (if abs(phi_diff) > 1.5*bMax then c*(phi_diff - sign(phi_diff)*bMax) else c/3*phi_diff)
      else (if side == 0 then 0 else c*(phi_diff - side*bMax));
    tau_d = d*w_rel;
    tau = tau_c + tau_damping;
  end PartialBacklash;

  model IdealGear "Gear without losses and inertia"
    extends Interfaces.PartialElementaryTwoFlangesAndSupport2;
    parameter Real ratio(start=1) "Angle of flange_a over angle of flange_b";
    SI.Angle phi_a "Left shaft seen from the housing";
    SI.Angle phi_b "Right shaft seen from the housing";
  equation
    flange_a.phi = phi_support + phi_a;
    flange_b.phi = phi_support + phi_b;
    phi_a = ratio*phi_b;
    flange_b.tau = -ratio*flange_a.tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,6},{-30,-6}}, lineColor={95,95,95}, fillColor={192,192,192}, fillPattern=FillPattern.Solid),
      Rectangle(extent={{-30,60},{-8,-60}}, lineColor={95,95,95}, fillColor={192,192,192}, fillPattern=FillPattern.Solid),
      Rectangle(extent={{8,36},{30,-36}}, lineColor={95,95,95}, fillColor={192,192,192}, fillPattern=FillPattern.Solid),
      Rectangle(extent={{30,6},{100,-6}}, lineColor={95,95,95}, fillColor={192,192,192}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,127}),
      Text(extent={{-150,-66},{150,-96}}, textString="ratio = %ratio", textColor={0,0,0})}));
  end IdealGear;

  model IdealPlanetary "Planetary gear without losses and inertia"
    parameter Real ratio(start=100/50) "Teeth of the ring over teeth of the sun";
    Interfaces.Flange_a sun "Sun"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.Flange_a carrier "Carrier of the planets"
      annotation(Placement(transformation(extent={{-110,50},{-90,70}})));
    Interfaces.Flange_b ring "Ring"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    sun.phi - carrier.phi = -ratio*(ring.phi - carrier.phi);
    ring.tau = ratio*sun.tau;
    sun.tau + carrier.tau + ring.tau = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealPlanetary", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealPlanetary;

  model Gearbox "Gear with losses, elasticity and play"
    extends Interfaces.PartialTwoFlangesAndSupport;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialConditionalHeatPort(final T=293.15);
    parameter Real ratio(start=1) "Angle of flange_a over angle of flange_b";
    parameter Real lossTable[:, 5] = [0, 1, 1, 0, 0] "Losses over speed, as in LossyGear";
    parameter SI.RotationalSpringConstant c(final min=Modelica.Constants.small, start=1.0e5) "Stiffness";
    parameter SI.RotationalDampingConstant d(final min=0, start=0) "Damping";
    parameter SI.Angle b(final min=0) = 0 "Total play";
    parameter StateSelect stateSelect = StateSelect.prefer "How much phi_rel and w_rel are wanted as states"
      annotation(HideResult=true);
    SI.Angle phi_rel(start=0, stateSelect=stateSelect, nominal=1e-4) = flange_b.phi - lossyGear.flange_b.phi
      "Twist of the elasticity";
    SI.AngularVelocity w_rel(start=0, stateSelect=stateSelect) = der(phi_rel) "Rate of the twist";
    SI.AngularAcceleration a_rel(start=0) = der(w_rel) "Rate of w_rel";
    LossyGear lossyGear(final ratio=ratio, final lossTable=lossTable, final useSupport=true, final useHeatPort=true)
      "Teeth and bearings";
    ElastoBacklash elastoBacklash(final b=b, final c=c, final phi_rel0=0, final d=d, final useHeatPort=true)
      "Shaft and play";
  equation
    connect(flange_a, lossyGear.flange_a);
    connect(lossyGear.flange_b, elastoBacklash.flange_a);
    connect(elastoBacklash.flange_b, flange_b);
    connect(lossyGear.support, internalSupport);
    connect(lossyGear.heatPort, internalHeatPort);
    connect(elastoBacklash.heatPort, internalHeatPort);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Gearbox", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Gearbox;

  model IdealGearR2T "Ideal rack and pinion"
    extends Interfaces.PartialElementaryRotationalToTranslational;
    parameter Real ratio(final unit="rad/m", start=1) "Angle of the shaft over travel of the rod";
  equation
    flangeR.phi - internalSupportR.phi = ratio*(flangeT.s - internalSupportT.s);
    flangeT.f = -ratio*flangeR.tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealGearR2T", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealGearR2T;

  model IdealRollingWheel "Wheel that rolls without slip, without inertia"
    extends Interfaces.PartialElementaryRotationalToTranslational;
    parameter SI.Distance radius(start=0.3) "Radius";
  equation
    flangeT.s - internalSupportT.s = radius*(flangeR.phi - internalSupportR.phi);
    flangeR.tau = -radius*flangeT.f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="IdealRollingWheel", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end IdealRollingWheel;

  model RelativeStates "Makes the twist of two flanges a state, without torque"
    extends Interfaces.PartialTwoFlanges;
    parameter StateSelect stateSelect = StateSelect.prefer "How much phi_rel and w_rel are wanted as states";
    parameter SI.Angle phi_nominal(displayUnit="rad", min=0.0) = 1.0 "Typical size of phi_rel, for error control";
    SI.Angle phi_rel(start=0, stateSelect=stateSelect,
      nominal=if phi_nominal >= Modelica.Constants.eps then phi_nominal else 1) "Twist";
    SI.AngularVelocity w_rel(start=0, stateSelect=stateSelect) "Rate of the twist";
    SI.AngularAcceleration a_rel(start=0) "Rate of w_rel";
  equation
    flange_b.phi = flange_a.phi + phi_rel;
    der(phi_rel) = w_rel;
    der(w_rel) = a_rel;
    flange_a.tau = 0;
    flange_b.tau = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelativeStates", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelativeStates;

  model InitializeFlange "Sets angle, speed or acceleration of a flange at the start only"
    parameter Boolean use_phi_start = true "true: initial angle from phi_start";
    parameter Boolean use_w_start = true "true: initial speed from w_start";
    parameter Boolean use_a_start = true "true: initial acceleration from a_start";
    parameter StateSelect stateSelect = StateSelect.default "How much angle and speed are wanted as states";
    Modelica.Blocks.Interfaces.RealInput phi_start(unit="rad") = phi_wanted if use_phi_start "Initial angle"
      annotation(Placement(transformation(extent={{-140,-60},{-100,-20}})));
    Modelica.Blocks.Interfaces.RealInput w_start(unit="rad/s") = w_wanted if use_w_start "Initial speed"
      annotation(Placement(transformation(extent={{-140,0},{-100,40}})));
    Modelica.Blocks.Interfaces.RealInput a_start(unit="rad/s2") = a_wanted if use_a_start "Initial acceleration"
      annotation(Placement(transformation(extent={{-140,-40},{-100,0}})));
    Interfaces.Flange_b flange "Flange that is initialized"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    SI.Angle phi_flange(stateSelect=stateSelect) = flange.phi "Angle of the flange";
    SI.AngularVelocity w_flange(stateSelect=stateSelect) = der(phi_flange) "Speed of the flange";
  protected
    SI.Angle phi_wanted "Angle at the start";
    SI.AngularVelocity w_wanted "Speed at the start";
    SI.AngularAcceleration a_wanted "Acceleration at the start";
  initial equation
    if use_phi_start then
      phi_flange = phi_wanted;
    end if;
    if use_w_start then
      w_flange = w_wanted;
    end if;
    if use_a_start then
      der(w_flange) = a_wanted;
    end if;
  equation
    flange.tau = 0;
    if not use_phi_start then
      phi_wanted = 0;
    end if;
    if not use_w_start then
      w_wanted = 0;
    end if;
    if not use_a_start then
      a_wanted = 0;
    end if;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="InitializeFlange", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end InitializeFlange;

  model AngleToTorqueAdaptor "Drives a flange by angle, speed and acceleration signals, returns the torque"
    parameter Boolean use_w = true "true: input w" annotation(Evaluate=true, HideResult=true);
    parameter Boolean use_a = true "true: input a" annotation(Evaluate=true, HideResult=true);
    Interfaces.Flange_b flange "Driven flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealInput phi(unit="rad") "Angle"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Modelica.Blocks.Interfaces.RealInput w(unit="rad/s") = w_internal if use_w or use_a "Speed, derivative of phi"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Modelica.Blocks.Interfaces.RealInput a(unit="rad/s2") = a_internal if use_a "Acceleration, derivative of w"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput tau(unit="N.m") "Torque on what is connected"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  protected
    SI.AngularVelocity w_internal "Speed in use";
    SI.AngularAcceleration a_internal "Acceleration in use";
  equation
    if not (use_w or use_a) then
      w_internal = 0;
    end if;
    if not use_a then
      a_internal = 0;
    end if;
    if use_a then
      flange.phi = Ferrica.Functions.motion(time, phi, w_internal, a_internal);
    elseif use_w then
      flange.phi = Ferrica.Functions.motion(time, phi, w_internal, 0);
    else
      flange.phi = phi;
    end if;
    tau = -flange.tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="AngleToTorqueAdaptor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end AngleToTorqueAdaptor;

  model TorqueToAngleAdaptor "Applies a torque signal to a flange, returns its motion"
    parameter Boolean use_w = true "true: output w" annotation(Evaluate=true, HideResult=true);
    parameter Boolean use_a = true "true: output a" annotation(Evaluate=true, HideResult=true);
    Interfaces.Flange_a flange "Driven flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealOutput phi(unit="rad") "Angle"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Modelica.Blocks.Interfaces.RealOutput w(unit="rad/s") = w_internal if use_w "Speed"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Modelica.Blocks.Interfaces.RealOutput a(unit="rad/s2") = a_internal if use_a "Acceleration"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Modelica.Blocks.Interfaces.RealInput tau(unit="N.m") "Torque"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  protected
    SI.AngularVelocity w_internal "Speed";
    SI.AngularAcceleration a_internal "Acceleration";
  equation
    phi = flange.phi;
    w_internal = if use_w then der(phi) else 0;
    a_internal = if use_a then der(w_internal) else 0;
    flange.tau = tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="TorqueToAngleAdaptor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end TorqueToAngleAdaptor;

  model GeneralAngleToTorqueAdaptor "A flange as signals: motion in, torque out"
    extends Modelica.Blocks.Interfaces.Adaptors.PotentialToFlowAdaptor(final Name_p="phi", final Name_pder="w", final Name_pder2="a",
      final Name_f="tau", final Name_fder="der(tau)", final Name_fder2="der2(tau)", final use_fder=false, final use_fder2=false,
      p(unit="rad"), pder(unit="rad/s"), pder2(unit="rad/s2"), f(unit="N.m"));
    Interfaces.Flange_b flange "Flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    y = flange.tau;
    u = flange.phi;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralAngleToTorqueAdaptor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralAngleToTorqueAdaptor;

  model GeneralTorqueToAngleAdaptor "A flange as signals: torque in, motion out"
    extends Modelica.Blocks.Interfaces.Adaptors.FlowToPotentialAdaptor(final Name_p="phi", final Name_pder="w", final Name_pder2="a",
      final Name_f="tau", final Name_fder="der(tau)", final Name_fder2="der2(tau)", final use_fder=false, final use_fder2=false,
      p(unit="rad"), pder(unit="rad/s"), pder2(unit="rad/s2"), f(unit="N.m"));
    Interfaces.Flange_a flange "Flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    y = flange.phi;
    u = flange.tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralTorqueToAngleAdaptor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralTorqueToAngleAdaptor;
end Components;
