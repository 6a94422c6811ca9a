within Modelica.Mechanics.Rotational.Components;
model LossyGear "Gear with losses in the teeth and in the bearings; it can get stuck"
  // The loss torque at flange_a is affine in the torque of flange_a on each of four quadrants
  // (direction of rotation, direction of power): loss = (1 - e)*tau_a + d*b, where e = eta_mf1 and
  // b = tau_bf1 when flange_a drives, e = 1/eta_mf2 and b = tau_bf2 when flange_b drives.
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Smoothness;
  extends Modelica.Mechanics.Rotational.Interfaces.PartialElementaryTwoFlangesAndSupport2;
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter Real ratio(start=1) "Angle of flange_a over angle of flange_b";
  parameter Real lossTable[:, 5] = [0, 1, 1, 0, 0]
    "Columns: |w_a| [rad/s], eta_mf1, eta_mf2, tau_bf1 [N.m], tau_bf2 [N.m]";
  parameter Smoothness smoothness = Smoothness.LinearSegments "Interpolation in lossTable";
  SI.Angle phi_a "Left shaft seen from the housing";
  SI.Angle phi_b "Right shaft seen from the housing";
  Real sa(final unit="1") "Path parameter of acceleration and loss torque";
  SI.AngularVelocity w_a "Speed of the left shaft seen from the housing";
  SI.AngularAcceleration a_a "Acceleration of the left shaft seen from the housing";
  Real interpolation_result[1, 4] "Interpolated row of lossTable";
  Real eta_mf1(unit="1") "Efficiency of the teeth when flange_a drives";
  Real eta_mf2(unit="1") "Efficiency of the teeth when flange_b drives";
  SI.Torque tau_bf_a "Bearing friction on the side of flange_a";
  SI.Torque tau_eta "Torque in the teeth on the side of flange_a; its sign tells which flange drives";
  SI.Torque tau_bf1 "Bearing friction seen at flange_a when flange_a drives";
  SI.Torque tau_bf2 "Bearing friction seen at flange_a when flange_b drives";
  SI.Torque quadrant1 "Loss for w_a > 0, flange_a drives";
  SI.Torque quadrant2 "Loss for w_a > 0, flange_b drives";
  SI.Torque quadrant3 "Loss for w_a < 0, flange_a drives";
  SI.Torque quadrant4 "Loss for w_a < 0, flange_b drives";
  SI.Torque quadrant1_p "quadrant1 at standstill";
  SI.Torque quadrant2_p "quadrant2 at standstill";
  SI.Torque quadrant3_m "quadrant3 at standstill";
  SI.Torque quadrant4_m "quadrant4 at standstill";
  SI.Torque tauLoss "Loss torque at flange_a";
  SI.Torque tauLossMax "Loss when rolling forward";
  SI.Torque tauLossMin "Loss when rolling backward";
  SI.Torque tauLossMax_p "Loss that starts forward rolling";
  SI.Torque tauLossMin_m "Loss that starts backward rolling";
  SI.Torque tau_eta_p "Torque in the teeth at standstill before forward rolling";
  SI.Torque tau_eta_m "Torque in the teeth at standstill before backward rolling";
  Boolean tau_aPos(start=true) "Same as tau_etaPos";
  Boolean tau_etaPos(start=true) "true: tau_eta is not negative";
  Boolean startForward(start=false) "true: forward rolling begins";
  Boolean startBackward(start=false) "true: backward rolling begins";
  Boolean locked(start=false) "true: stuck";
  Boolean ideal "true: the table says that there are no losses";
  constant Integer Unknown = 3 "mode: not yet known";
  constant Integer Free = 2 "mode: no losses";
  constant Integer Forward = 1 "mode: w_a > 0";
  constant Integer Stuck = 0 "mode: w_a = 0";
  constant Integer Backward = -1 "mode: w_a < 0";
  Integer mode(final min=Backward, final max=Unknown, start=Free, fixed=true) "State of the machine";
protected
  constant SI.AngularAcceleration unitAngularAcceleration = 1 annotation(HideResult=true);
  constant SI.Torque unitTorque = 1 annotation(HideResult=true);
  final parameter Boolean noLoss = size(lossTable, 1) == 1 and abs(lossTable[1, 2] - 1) < Modelica.Constants.eps
    and abs(lossTable[1, 3] - 1) < Modelica.Constants.eps and abs(lossTable[1, 4]) < Modelica.Constants.eps
    and abs(lossTable[1, 5]) < Modelica.Constants.eps "true: the table is [0, 1, 1, 0, 0]" annotation(Evaluate=true);
  parameter Real eta_mf1_0(unit="1") = Ferrica.Functions.characteristic(lossTable, 2, 0, smoothness);
  parameter Real eta_mf2_0(unit="1") = Ferrica.Functions.characteristic(lossTable, 3, 0, smoothness);
  parameter SI.Torque tau_bf1_0 = abs(Ferrica.Functions.characteristic(lossTable, 4, 0, smoothness));
  parameter SI.Torque tau_bf2_0 = abs(Ferrica.Functions.characteristic(lossTable, 5, 0, smoothness));
  parameter SI.Torque tau_bf_a_0 = Ferrica.Functions.bearingShare(eta_mf1_0, eta_mf2_0, tau_bf1_0, tau_bf2_0)
    "Bearing friction on the side of flange_a at standstill";
  Boolean forward "true: rolls forward or begins to";
equation
  assert(abs(ratio) > 0, "The ratio of a gear cannot be zero");
  ideal = noLoss;

  flange_a.phi = phi_support + phi_a;
  flange_b.phi = phi_support + phi_b;
  phi_a = ratio*phi_b;
  w_a = der(phi_a);
  a_a = der(w_a);
  flange_b.tau = -ratio*(flange_a.tau - tauLoss);

  for k in 1:4 loop
    interpolation_result[1, k] =
      if noLoss then (if k <= 2 then 1 else 0)
      else Ferrica.Functions.characteristic(lossTable, k + 1, noEvent(abs(w_a)), smoothness);
  end for;
  eta_mf1 = interpolation_result[1, 1];
  eta_mf2 = interpolation_result[1, 2];
  tau_bf1 = noEvent(abs(interpolation_result[1, 3]));
  tau_bf2 = noEvent(abs(interpolation_result[1, 4]));
  tau_bf_a = Ferrica.Functions.bearingShare(eta_mf1, eta_mf2, tau_bf1, tau_bf2);

  quadrant1 = (1 - eta_mf1)*flange_a.tau + tau_bf1;
  quadrant3 = (1 - eta_mf1)*flange_a.tau - tau_bf1;
  quadrant2 = (1 - 1/eta_mf2)*flange_a.tau + tau_bf2;
  quadrant4 = (1 - 1/eta_mf2)*flange_a.tau - tau_bf2;
  quadrant1_p = (1 - eta_mf1_0)*flange_a.tau + tau_bf1_0;
  quadrant3_m = (1 - eta_mf1_0)*flange_a.tau - tau_bf1_0;
  quadrant2_p = (1 - 1/eta_mf2_0)*flange_a.tau + tau_bf2_0;
  quadrant4_m = (1 - 1/eta_mf2_0)*flange_a.tau - tau_bf2_0;

  tau_eta = flange_a.tau - (if ideal or locked then 0 elseif forward then tau_bf_a else -tau_bf_a);
  tau_etaPos = tau_eta >= 0;
  tau_aPos = tau_etaPos;
  tauLossMax = if tau_etaPos then quadrant1 else quadrant2;
  tauLossMin = if tau_etaPos then quadrant4 else quadrant3;

  tau_eta_p = flange_a.tau - tau_bf_a_0;
  tau_eta_m = flange_a.tau + tau_bf_a_0;
  tauLossMax_p = if noEvent(tau_eta_p > 0) then quadrant1_p else quadrant2_p;
  tauLossMin_m = if noEvent(tau_eta_m > 0) then quadrant4_m else quadrant3_m;

  // As in PartialFriction: rolling begins only after an iteration in which the gear was locked.
  startForward = initial() and w_a > 0
    or pre(mode) == Stuck and (pre(locked) or pre(startForward)) and sa > tauLossMax_p/unitTorque;
  startBackward = initial() and w_a < 0
    or pre(mode) == Stuck and (pre(locked) or pre(startBackward)) and sa < tauLossMin_m/unitTorque;
  forward = startForward or pre(mode) == Forward;
  locked = not (ideal or forward or startBackward or pre(mode) == Backward);
  tauLoss = if ideal then 0 elseif locked then sa*unitTorque elseif forward then tauLossMax else tauLossMin;
  a_a = unitAngularAcceleration*(if locked then 0 else sa - tauLoss/unitTorque);
  mode = if ideal then Free
    elseif w_a > 0 and forward then Forward
    elseif w_a < 0 and (startBackward or pre(mode) == Backward) then Backward
    else Stuck;
  lossPower = tauLoss*w_a;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="LossyGear", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end LossyGear;
