within Modelica.Mechanics.Translational;
package Interfaces "Flanges and the equations that several components share"
  import Modelica.Units.SI;

  connector Flange "Mechanical port of a sliding body"
    SI.Position s "Position of the flange in the inertial system";
    flow SI.Force f "Force that acts on the component at this flange, along +s";
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,127,0}, fillColor={0,127,0}, fillPattern=FillPattern.Solid)}));
  end Flange;

  connector Flange_a "Flange on the left side of a component"
    extends Flange;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,127,0}, fillColor={0,127,0}, fillPattern=FillPattern.Solid)}));
  end Flange_a;

  connector Flange_b "Flange on the right side of a component"
    extends Flange;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  end Flange_b;

  connector Support "Flange of a housing"
    extends Flange;
    annotation(Icon(graphics={
      Rectangle(extent={{-80,80},{80,-80}}, lineColor={0,127,0}, fillColor={0,127,0}, fillPattern=FillPattern.Solid)}));
  end Support;

  model InternalSupport "Holds the housing variables when the support flange may be absent"
    input SI.Force f "Force on the housing, from the force balance of the user";
    SI.Position s "Position of the housing";
    Flange_a flange "To the support flange, or to a fixed point"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    s = flange.s;
    f = flange.f;
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

  partial model PartialRigid "Two flanges at a fixed distance"
    extends PartialTwoFlanges;
    parameter SI.Length L(start=0) "Length from the left to the right flange";
    SI.Position s "Position of the middle";
  equation
    flange_a.s = s - L/2;
    flange_b.s = s + L/2;
  end PartialRigid;

  partial model PartialCompliant "Two flanges joined by a force law"
    extends PartialTwoFlanges;
    SI.Position s_rel(start=0) "Distance, flange_b.s - flange_a.s";
    SI.Force f "Force at flange_b, positive when it stretches the element";
  equation
    s_rel = flange_b.s - flange_a.s;
    f = flange_b.f;
    flange_a.f + flange_b.f = 0;
  end PartialCompliant;

  partial model PartialCompliantWithRelativeStates "Force law whose distance and its rate are good states"
    extends PartialTwoFlanges;
    parameter StateSelect stateSelect = StateSelect.prefer "How much s_rel and v_rel are wanted as states"
      annotation(HideResult=true);
    parameter SI.Distance s_nominal = 1e-4 "Typical size of s_rel, for error control";
    SI.Position s_rel(start=0, stateSelect=stateSelect, nominal=s_nominal) "Distance, flange_b.s - flange_a.s";
    SI.Velocity v_rel(start=0, stateSelect=stateSelect) "Rate of the distance";
    SI.Force f "Force at flange_b, positive when it stretches the element";
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    f = flange_b.f;
    flange_a.f + flange_b.f = 0;
  end PartialCompliantWithRelativeStates;

  partial model PartialElementaryOneFlangeAndSupport2 "One flange and a housing, for components written as equations"
    parameter Boolean useSupport = false "true: the housing has a flange, false: it stands still"
      annotation(Evaluate=true, HideResult=true);
    SI.Length s "Flange position seen from the housing";
    Flange_b flange "Flange of the component"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Support support(s=s_support, f=-flange.f) if useSupport "Flange of the housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    SI.Length s_support "Position of the housing";
  equation
    flange.s = s_support + s;
    if not useSupport then
      s_support = 0;
    end if;
  end PartialElementaryOneFlangeAndSupport2;

  partial model PartialElementaryTwoFlangesAndSupport2 "Two flanges and a housing, for components written as equations"
    extends PartialTwoFlanges;
    parameter Boolean useSupport = false "true: the housing has a flange, false: it stands still"
      annotation(Evaluate=true, HideResult=true);
    SI.Length s_a "Left flange seen from the housing";
    SI.Length s_b "Right flange seen from the housing";
    Support support(s=s_support, f=-(flange_a.f + flange_b.f)) if useSupport "Flange of the housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    SI.Length s_support "Position of the housing";
  equation
    flange_a.s = s_support + s_a;
    flange_b.s = s_support + s_b;
    if not useSupport then
      s_support = 0;
    end if;
  end PartialElementaryTwoFlangesAndSupport2;

  partial model PartialElementaryRotationalToTranslational "From a shaft to a rod, each with its housing"
    extends Modelica.Mechanics.Rotational.Interfaces.PartialElementaryRotationalToTranslational;
  end PartialElementaryRotationalToTranslational;

  partial model PartialForce "Source of a force between flange and housing"
    extends PartialElementaryOneFlangeAndSupport2;
    SI.Force f "Force at the flange (negative: it accelerates what is connected)";
  equation
    flange.f = f;
  end PartialForce;

  partial model PartialAbsoluteSensor "Sensor of one flange, without force"
    Flange_a flange "Flange that is measured"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    flange.f = 0;
  end PartialAbsoluteSensor;

  partial model PartialRelativeSensor "Sensor between two flanges"
    extends PartialTwoFlanges;
  equation
    flange_a.f + flange_b.f = 0;
  end PartialRelativeSensor;

  partial model PartialFriction "Dry friction: stuck, sliding or lifted off, as a state machine"
    // While stuck, the path parameter sa is the friction force; while sliding it is the acceleration
    // beyond the break-away force. So the characteristic is one function of sa, and no equation
    // changes its unknown when the mode changes. Sliding can only begin after one event iteration
    // in which the element was locked: only then is sa the force that it would have to carry.
    parameter SI.Velocity v_small = 1e-3 "A reversal faster than this (by reinit) slides on at once";
    SI.Velocity v_relfric "Sliding velocity";
    SI.Acceleration a_relfric "Sliding acceleration";
    SI.Force f0 "Friction force at v_relfric = 0 while sliding forward";
    SI.Force f0_max "Largest force that the stuck element can carry";
    Boolean free "true: the surfaces do not touch";
    Real sa(unit="1") "Path parameter of the friction characteristic";
    Boolean startForward(start=false, fixed=true) "true: forward sliding begins";
    Boolean startBackward(start=false, fixed=true) "true: backward sliding begins";
    Boolean locked(start=false) "true: stuck";
    constant Integer Unknown = 3 "mode: not yet known";
    constant Integer Free = 2 "mode: no contact";
    constant Integer Forward = 1 "mode: v_relfric > 0";
    constant Integer Stuck = 0 "mode: v_relfric = 0";
    constant Integer Backward = -1 "mode: v_relfric < 0";
    Integer mode(final min=Backward, final max=Unknown, start=Unknown, fixed=true) "State of the machine";
  protected
    constant SI.Acceleration unitAcceleration = 1 annotation(HideResult=true);
    constant SI.Force unitForce = 1 annotation(HideResult=true);
    Integer direction "Sliding direction -1, +1; 0: none" annotation(HideResult=true);
  equation
    startForward = initial() and v_relfric > 0
      or pre(mode) == Backward and v_relfric > v_small
      or pre(mode) == Stuck and (pre(locked) and sa > f0_max/unitForce or pre(startForward) and sa > f0/unitForce);
    startBackward = initial() and v_relfric < 0
      or pre(mode) == Forward and v_relfric < -v_small
      or pre(mode) == Stuck and (pre(locked) and sa < -f0_max/unitForce or pre(startBackward) and sa < -f0/unitForce);
    direction = if startForward then 1 elseif startBackward then -1
      elseif pre(mode) == Forward then 1 elseif pre(mode) == Backward then -1 else 0;
    locked = not free and direction == 0;
    a_relfric = unitAcceleration*(if locked then 0 elseif free then sa else sa - direction*f0_max/unitForce);
    mode = if free then Free
      elseif v_relfric > 0 and (direction > 0 or pre(mode) == Free) then Forward
      elseif v_relfric < 0 and (direction < 0 or pre(mode) == Free) then Backward
      else Stuck;
  end PartialFriction;
end Interfaces;
