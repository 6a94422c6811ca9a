within Modelica.Mechanics.Rotational.Components;
model BearingFriction "Dry friction between a shaft and its housing"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Smoothness;
  extends Modelica.Mechanics.Rotational.Interfaces.PartialElementaryTwoFlangesAndSupport2;
  extends Modelica.Mechanics.Rotational.Interfaces.PartialFriction;
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter Real tau_pos[:, 2] = [0, 1] "Friction torque [N.m] (column 2) over speed [rad/s] (column 1)";
  parameter Smoothness smoothness = Smoothness.LinearSegments "Interpolation in tau_pos";
  parameter Real peak(final min=1) = 1 "Break-away torque over sliding torque at w = 0";
  SI.Angle phi "Shaft seen from the housing";
  SI.Torque tau "Friction torque";
  SI.AngularVelocity w "Speed of the shaft";
  SI.AngularAcceleration a "Acceleration of the shaft";
equation
  flange_a.phi = phi_support + phi;
  flange_b.phi = flange_a.phi;
  w = der(phi);
  a = der(w);
  w_relfric = w;
  a_relfric = a;
  free = false;
  tau0 = Ferrica.Functions.characteristic(tau_pos, 2, 0, smoothness);
  tau0_max = peak*tau0;
  tau = if locked then sa*unitTorque
    else direction*Ferrica.Functions.characteristic(tau_pos, 2, direction*w, smoothness);
  flange_a.tau + flange_b.tau = tau;
  lossPower = tau*w_relfric;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="BearingFriction", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end BearingFriction;
