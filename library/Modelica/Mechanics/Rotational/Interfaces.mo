within Modelica.Mechanics.Rotational;
package Interfaces "Flanges and the equations that several components share"
  import Modelica.Units.SI;

  connector Flange "Mechanical port of a shaft"
    SI.Angle phi "Angle of the flange in the inertial system";
    flow SI.Torque tau "Torque that acts on the component at this flange";
    annotation(Icon(graphics={
      Ellipse(extent={{-100,100},{100,-100}}, lineColor={95,95,95}, fillColor={155,155,155}, fillPattern=FillPattern.Solid)}));
  end Flange;

  connector Flange_a "Flange on the left side of a component"
    extends Flange;
    annotation(Icon(graphics={
      Ellipse(extent={{-100,100},{100,-100}}, lineColor={95,95,95}, fillColor={155,155,155}, fillPattern=FillPattern.Solid)}));
  end Flange_a;

  connector Flange_b "Flange on the right side of a component"
    extends Flange;
    annotation(Icon(graphics={
      Ellipse(extent={{-100,100},{100,-100}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  end Flange_b;

  connector Support "Flange of a housing"
    extends Flange;
    annotation(Icon(graphics={
      Ellipse(extent={{-80,80},{80,-80}}, lineColor={95,95,95}, fillColor={155,155,155}, fillPattern=FillPattern.Solid)}));
  end Support;

  model InternalSupport "Holds the housing variables when the support flange may be absent"
    input SI.Torque tau "Torque on the housing, from the torque balance of the user";
    SI.Angle phi "Angle of the housing";
    Flange_a flange "To the support flange, or to a fixed point"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    phi = flange.phi;
    tau = flange.tau;
  end InternalSupport;

  partial model PartialTwoFlanges "Two flanges, no equations"
    Flange_a flange_a "Left flange"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Flange_b flange_b "Right flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  end PartialTwoFlanges;

  partial model PartialOneFlangeAndSupport "One flange and a housing, to be filled by connecting components"
    parameter Boolean useSupport = false "true: the housing has a flange, false: it stands still"
      annotation(Evaluate=true, HideResult=true);
    Flange_b flange "Flange of the component"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Support support if useSupport "Flange of the housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    Support internalSupport "Housing, always present";
    Components.Fixed fixed if not useSupport "Ground of the housing";
  equation
    connect(internalSupport, support);
    connect(internalSupport, fixed.flange);
  end PartialOneFlangeAndSupport;

  partial model PartialTwoFlangesAndSupport "Two flanges and a housing, to be filled by connecting components"
    extends PartialTwoFlanges;
    parameter Boolean useSupport = false "true: the housing has a flange, false: it stands still"
      annotation(Evaluate=true, HideResult=true);
    Support support if useSupport "Flange of the housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    Support internalSupport "Housing, always present";
    Components.Fixed fixed if not useSupport "Ground of the housing";
  equation
    connect(internalSupport, support);
    connect(internalSupport, fixed.flange);
  end PartialTwoFlangesAndSupport;

  partial model PartialCompliant "Two flanges joined by a torque law"
    extends PartialTwoFlanges;
    SI.Angle phi_rel(start=0) "Twist, flange_b.phi - flange_a.phi";
    SI.Torque tau "Torque at flange_b, positive when it increases the twist";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    tau = flange_b.tau;
    flange_a.tau + flange_b.tau = 0;
  end PartialCompliant;

  partial model PartialCompliantWithRelativeStates "Torque law whose twist and its rate are good states"
    extends PartialTwoFlanges;
    parameter SI.Angle phi_nominal(displayUnit="rad", min=0.0) = 1e-4 "Typical size of phi_rel, for error control";
    parameter StateSelect stateSelect = StateSelect.prefer "How much phi_rel and w_rel are wanted as states"
      annotation(HideResult=true);
    SI.Angle phi_rel(start=0, stateSelect=stateSelect,
      nominal=if phi_nominal >= Modelica.Constants.eps then phi_nominal else 1) "Twist, flange_b.phi - flange_a.phi";
    SI.AngularVelocity w_rel(start=0, stateSelect=stateSelect) "Rate of the twist";
    SI.AngularAcceleration a_rel(start=0) "Rate of w_rel";
    SI.Torque tau "Torque at flange_b, positive when it increases the twist";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    w_rel = der(phi_rel);
    a_rel = der(w_rel);
    tau = flange_b.tau;
    flange_a.tau + flange_b.tau = 0;
  end PartialCompliantWithRelativeStates;

  partial model PartialElementaryOneFlangeAndSupport2 "One flange and a housing, for components written as equations"
    parameter Boolean useSupport = false "true: the housing has a flange, false: it stands still"
      annotation(Evaluate=true, HideResult=true);
    Flange_b flange "Flange of the component"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Support support(phi=phi_support, tau=-flange.tau) if useSupport "Flange of the housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    SI.Angle phi_support "Angle of the housing";
  equation
    if not useSupport then
      phi_support = 0;
    end if;
  end PartialElementaryOneFlangeAndSupport2;

  partial model PartialElementaryTwoFlangesAndSupport2 "Two flanges and a housing, for components written as equations"
    extends PartialTwoFlanges;
    parameter Boolean useSupport = false "true: the housing has a flange, false: it stands still"
      annotation(Evaluate=true, HideResult=true);
    Support support(phi=phi_support, tau=-(flange_a.tau + flange_b.tau)) if useSupport "Flange of the housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    SI.Angle phi_support "Angle of the housing";
  equation
    if not useSupport then
      phi_support = 0;
    end if;
  end PartialElementaryTwoFlangesAndSupport2;

  partial model PartialElementaryRotationalToTranslational "From a shaft to a rod, each with its housing"
    parameter Boolean useSupportR = false "true: the housing of the shaft has a flange"
      annotation(Evaluate=true, HideResult=true);
    parameter Boolean useSupportT = false "true: the housing of the rod has a flange"
      annotation(Evaluate=true, HideResult=true);
    Flange_a flangeR "Shaft"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Modelica.Mechanics.Translational.Interfaces.Flange_b flangeT "Rod"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Support supportR if useSupportR "Housing of the shaft"
      annotation(Placement(transformation(extent={{-70,-110},{-50,-90}})));
    Modelica.Mechanics.Translational.Interfaces.Support supportT if useSupportT "Housing of the rod"
      annotation(Placement(transformation(extent={{50,-110},{70,-90}})));
  protected
    InternalSupport internalSupportR(tau=-flangeR.tau) "Housing of the shaft, always present";
    Modelica.Mechanics.Translational.Interfaces.InternalSupport internalSupportT(f=-flangeT.f)
      "Housing of the rod, always present";
    Components.Fixed fixedR if not useSupportR "Ground of the shaft's housing";
    Modelica.Mechanics.Translational.Components.Fixed fixedT if not useSupportT "Ground of the rod's housing";
  equation
    connect(internalSupportR.flange, supportR);
    connect(internalSupportR.flange, fixedR.flange);
    connect(internalSupportT.flange, supportT);
    connect(internalSupportT.flange, fixedT.flange);
  end PartialElementaryRotationalToTranslational;

  partial model PartialTorque "Source of a torque between flange and housing"
    extends PartialElementaryOneFlangeAndSupport2;
    SI.Angle phi "Angle of the flange seen from the housing";
  equation
    flange.phi = phi_support + phi;
  end PartialTorque;

  partial model PartialAbsoluteSensor "Sensor of one flange, without torque"
    Flange_a flange "Flange that is measured"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    flange.tau = 0;
  end PartialAbsoluteSensor;

  partial model PartialRelativeSensor "Sensor between two flanges"
    extends PartialTwoFlanges;
  equation
    flange_a.tau + flange_b.tau = 0;
  end PartialRelativeSensor;

  partial model PartialFriction "Dry friction: stuck, sliding or lifted off, as a state machine"
    // While stuck, the path parameter sa is the friction torque; while sliding it is the acceleration
    // beyond the break-away torque. So the characteristic is one function of sa, and no equation
    // changes its unknown when the mode changes. Sliding can only begin after one event iteration
    // in which the element was locked: only then is sa the torque that it would have to carry.
    parameter SI.AngularVelocity w_small = 1.0e10
      "A reversal faster than this (by reinit) slides on at once; lower it only if there are such jumps";
    SI.AngularVelocity w_relfric "Sliding angular velocity";
    SI.AngularAcceleration a_relfric "Sliding angular acceleration";
    SI.Torque tau0 "Friction torque at w_relfric = 0 while sliding forward";
    SI.Torque tau0_max "Largest torque that the stuck element can carry";
    Boolean free "true: the surfaces do not touch";
    Real sa(final unit="1") "Path parameter of the friction characteristic";
    Boolean startForward(start=false, fixed=true) "true: forward sliding begins";
    Boolean startBackward(start=false, fixed=true) "true: backward sliding begins";
    Boolean locked(start=false) "true: stuck";
    constant Integer Unknown = 3 "mode: not yet known";
    constant Integer Free = 2 "mode: no contact";
    constant Integer Forward = 1 "mode: w_relfric > 0";
    constant Integer Stuck = 0 "mode: w_relfric = 0";
    constant Integer Backward = -1 "mode: w_relfric < 0";
    Integer mode(final min=Backward, final max=Unknown, start=Unknown, fixed=true) "State of the machine";
  protected
    constant SI.AngularAcceleration unitAngularAcceleration = 1 annotation(HideResult=true);
    constant SI.Torque unitTorque = 1 annotation(HideResult=true);
    Integer direction "Sliding direction -1, +1; 0: none" annotation(HideResult=true);
  equation
    startForward = initial() and w_relfric > 0
      or pre(mode) == Backward and w_relfric > w_small
      or pre(mode) == Stuck and (pre(locked) and sa > tau0_max/unitTorque or pre(startForward) and sa > tau0/unitTorque);
    startBackward = initial() and w_relfric < 0
      or pre(mode) == Forward and w_relfric < -w_small
      or pre(mode) == Stuck and (pre(locked) and sa < -tau0_max/unitTorque or pre(startBackward) and sa < -tau0/unitTorque);
    direction = if startForward then 1 elseif startBackward then -1
      elseif pre(mode) == Forward then 1 elseif pre(mode) == Backward then -1 else 0;
    locked = not free and direction == 0;
    a_relfric = unitAngularAcceleration*(
      if locked then 0 elseif free then sa else sa - direction*tau0_max/unitTorque);
    mode = if free then Free
      elseif w_relfric > 0 and (direction > 0 or pre(mode) == Free) then Forward
      elseif w_relfric < 0 and (direction < 0 or pre(mode) == Free) then Backward
      else Stuck;
  end PartialFriction;
end Interfaces;
