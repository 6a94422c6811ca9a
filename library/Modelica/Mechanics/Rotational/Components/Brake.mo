within Modelica.Mechanics.Rotational.Components;
model Brake "Brake pressed on a shaft by a signal, with dry friction"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Smoothness;
  extends Modelica.Mechanics.Rotational.Interfaces.PartialElementaryTwoFlangesAndSupport2;
  extends Modelica.Mechanics.Rotational.Interfaces.PartialFriction;
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter Real mu_pos[:, 2] = [0, 0.5] "Friction coefficient (column 2) over speed [rad/s] (column 1)";
  parameter Smoothness smoothness = Smoothness.LinearSegments "Interpolation in mu_pos";
  parameter Real peak(final min=1) = 1 "Break-away coefficient over sliding coefficient at w = 0";
  parameter Real cgeo(final min=0) = 1 "Lever arm of the friction forces, from the brake's geometry";
  parameter SI.Force fn_max(final min=0, start=1) "Normal force at full signal";
  SI.Angle phi "Shaft seen from the housing";
  SI.Torque tau "Friction torque";
  SI.AngularVelocity w "Speed of the shaft";
  SI.AngularAcceleration a "Acceleration of the shaft";
  Real mu "Friction coefficient, with the sign of the sliding direction";
  SI.Force fn "Normal force";
  Modelica.Blocks.Interfaces.RealInput f_normalized "Signal 0..1; the brake is released at 0"
    annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
protected
  final parameter Real mu0 = Ferrica.Functions.characteristic(mu_pos, 2, 0, smoothness) "Coefficient at w = 0";
equation
  flange_a.phi = phi_support + phi;
  flange_b.phi = flange_a.phi;
  w = der(phi);
  a = der(w);
  w_relfric = w;
  a_relfric = a;
  fn = fn_max*f_normalized;
  free = fn <= 0;
  tau0 = cgeo*mu0*fn;
  tau0_max = peak*tau0;
  mu = if direction > 0 then Ferrica.Functions.characteristic(mu_pos, 2, w, smoothness)
    else -Ferrica.Functions.characteristic(mu_pos, 2, -w, smoothness);
  tau = if locked then sa*unitTorque elseif free then 0 else cgeo*mu*fn;
  flange_a.tau + flange_b.tau = tau;
  lossPower = tau*w_relfric;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="Brake", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end Brake;
