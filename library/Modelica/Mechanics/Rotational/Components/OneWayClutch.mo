within Modelica.Mechanics.Rotational.Components;
model OneWayClutch "Clutch and free wheel side by side: flange_b may only overtake flange_a"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Smoothness;
  extends Modelica.Mechanics.Rotational.Interfaces.PartialCompliantWithRelativeStates;
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter Real mu_pos[:, 2] = [0, 0.5] "Friction coefficient (column 2) over relative speed [rad/s] (column 1)";
  parameter Smoothness smoothness = Smoothness.LinearSegments "Interpolation in mu_pos";
  parameter Real peak(final min=1) = 1 "Break-away coefficient over sliding coefficient at w_rel = 0";
  parameter Real cgeo(final min=0) = 1 "Lever arm of the friction forces, from the clutch's geometry";
  parameter SI.Force fn_max(final min=0, start=1) "Normal force at full signal";
  parameter SI.AngularVelocity w_small = 1e10
    "A jump of the speed beyond this (by reinit) slides on at once; lower it only if there are such jumps";
  Modelica.Blocks.Interfaces.RealInput f_normalized "Signal 0..1; the clutch part is open at 0"
    annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  Real u "Signal in use";
  Real mu "Friction coefficient";
  SI.Force fn "Normal force";
  Boolean startForward(start=false) "true: sliding begins";
  Boolean locked(start=false) "true: held by friction or by the free wheel";
  Boolean stuck(start=false) "true: w_rel = 0";
protected
  constant SI.AngularAcceleration unitAngularAcceleration = 1 annotation(HideResult=true);
  constant SI.Torque unitTorque = 1 annotation(HideResult=true);
  constant Real eps0 = 1.0e-4 "Smallest hysteresis between sliding and breaking away, relative";
  final parameter Real mu0 = Ferrica.Functions.characteristic(mu_pos, 2, 0, smoothness) "Coefficient at w_rel = 0";
  final parameter SI.Torque tau0_max_low = eps0*mu0*cgeo*fn_max "Hysteresis of the open clutch";
  final parameter Real peak2 = max(peak, 1 + eps0) "peak, at least with the hysteresis";
  Boolean free "true: the clutch part is open";
  Real sa(final unit="1") "Path parameter of the friction characteristic";
  SI.Torque tau0 "Friction torque at w_rel = 0 while sliding";
  SI.Torque tau0_max "Largest friction torque while stuck";
equation
  u = f_normalized;
  free = u <= 0;
  fn = if free then 0 else fn_max*u;
  tau0 = cgeo*mu0*fn;
  tau0_max = if free then tau0_max_low else peak2*tau0;
  startForward = initial() and w_rel > 0
    or pre(stuck) and (pre(locked) and sa > tau0_max/unitTorque or pre(startForward) and sa > tau0/unitTorque
      or w_rel > w_small);
  locked = pre(stuck) and not startForward;
  stuck = locked or w_rel <= 0;
  a_rel = unitAngularAcceleration*(if locked then 0 else sa - tau0/unitTorque);
  mu = Ferrica.Functions.characteristic(mu_pos, 2, w_rel, smoothness);
  tau = if locked then sa*unitTorque elseif free then 0 else cgeo*mu*fn;
  lossPower = if stuck then 0 else tau*w_rel;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="OneWayClutch", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end OneWayClutch;
