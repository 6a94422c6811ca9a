within Modelica.Mechanics.Translational.Components;
model MassWithStopAndFriction "Sliding mass with Stribeck friction between two hard stops"
  import Modelica.Units.SI;
  extends Modelica.Mechanics.Translational.Interfaces.PartialRigid(s(start=0, stateSelect=StateSelect.always));
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter SI.Position smax(start=25) "Right stop, for the right end of the mass";
  parameter SI.Position smin(start=-25) "Left stop, for the left end of the mass";
  parameter SI.Velocity v_small = 1e-3 "A reversal faster than this slides on at once";
  parameter SI.Mass m(start=1) "Mass";
  parameter Real F_prop(final unit="N.s/m", final min=0, start=1) "Friction proportional to velocity";
  parameter SI.Force F_Coulomb(start=5) "Friction that does not depend on velocity";
  parameter SI.Force F_Stribeck(start=10) "Additional friction near v = 0";
  parameter Real fexp(final unit="s/m", final min=0, start=2) "Decay of the additional friction with velocity";
  SI.Velocity v(start=0, stateSelect=StateSelect.always) "Velocity";
  SI.Acceleration a(start=0) "Acceleration";
  Integer stopped "-1: at the left stop, +1: at the right stop, 0: between";
  SI.Velocity v_relfric "Sliding velocity";
  SI.Acceleration a_relfric "Sliding acceleration";
  SI.Force f "Friction force, or the force of the stop";
  SI.Force f0 "Friction force at v = 0 while sliding forward";
  SI.Force f0_max "Largest force that the stuck mass can carry";
  Boolean free "true: there is no friction and no stop";
  Real sa(unit="1") "Path parameter of the friction characteristic";
  Boolean startForward(start=false, fixed=true) "true: forward sliding begins";
  Boolean startBackward(start=false, fixed=true) "true: backward sliding begins";
  Boolean locked(start=false) "true: stuck, or held by a stop";
  constant Integer Unknown = 3 "mode: not yet known";
  constant Integer Free = 2 "mode: no friction";
  constant Integer Forward = 1 "mode: v > 0";
  constant Integer Stuck = 0 "mode: v = 0";
  constant Integer Backward = -1 "mode: v < 0";
  Integer mode(final min=Backward, final max=Unknown, start=Unknown, fixed=true) "State of the machine";
protected
  constant SI.Acceleration unitAcceleration = 1 annotation(HideResult=true);
  constant SI.Force unitForce = 1 annotation(HideResult=true);
  Integer direction "Sliding direction -1, +1; 0: none" annotation(HideResult=true);
  Boolean roomRight "true: the right stop is not reached" annotation(HideResult=true);
  Boolean roomLeft "true: the left stop is not reached" annotation(HideResult=true);
equation
  roomRight = s < smax - L/2;
  roomLeft = s > smin + L/2;
  stopped = if not roomLeft then -1 elseif not roomRight then 1 else 0;
  free = f0 <= 0 and F_prop <= 0 and roomLeft and roomRight;
  f0 = F_Coulomb + F_Stribeck;
  f0_max = 1.001*f0;

  v = der(s);
  a = der(v);
  v_relfric = v;
  a_relfric = a;
  m*a = flange_a.f + flange_b.f - f;

  startForward = initial() and v_relfric > 0
    or pre(mode) == Backward and v_relfric > v_small
    or pre(mode) == Stuck and roomRight
      and (pre(locked) and sa > f0_max/unitForce or pre(startForward) and sa > f0/unitForce);
  startBackward = initial() and v_relfric < 0
    or pre(mode) == Forward and v_relfric < -v_small
    or pre(mode) == Stuck and roomLeft
      and (pre(locked) and sa < -f0_max/unitForce or pre(startBackward) and sa < -f0/unitForce);
  direction = if startForward then 1 elseif startBackward then -1
    elseif pre(mode) == Forward then 1 elseif pre(mode) == Backward then -1 else 0;
  locked = not free and direction == 0;
  a_relfric = unitAcceleration*(if locked then 0 elseif free then sa else sa - direction*f0_max/unitForce);
  f = if locked then sa*unitForce elseif free then 0
    else F_prop*v + direction*(F_Coulomb + F_Stribeck*
      (if startForward or startBackward then 1 else exp(-fexp*abs(v))));
  mode = if free then Free
    elseif v_relfric > 0 and roomRight and (direction > 0 or pre(mode) == Free) then Forward
    elseif v_relfric < 0 and roomLeft and (direction < 0 or pre(mode) == Free) then Backward
    else Stuck;
  lossPower = f*v_relfric;

  when initial() then
    assert(roomLeft or s >= smin + L/2 and v >= 0, "The mass starts beyond its left stop");
    assert(roomRight or s <= smax - L/2 and v <= 0, "The mass starts beyond its right stop");
  end when;
  when stopped <> 0 then
    reinit(s, if stopped < 0 then smin + L/2 else smax - L/2);
    reinit(v, 0);
  end when;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="MassWithStopAndFriction", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end MassWithStopAndFriction;
