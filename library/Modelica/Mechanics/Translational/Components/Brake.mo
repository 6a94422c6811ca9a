within Modelica.Mechanics.Translational.Components;
model Brake "Brake pressed on a rod by a signal, with dry friction"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Smoothness;
  extends Modelica.Mechanics.Translational.Interfaces.PartialElementaryTwoFlangesAndSupport2;
  extends Modelica.Mechanics.Translational.Interfaces.PartialFriction;
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter Real mu_pos[:, 2] = [0, 0.5] "Friction coefficient (column 2) over sliding velocity [m/s] (column 1)";
  parameter Smoothness smoothness = Smoothness.LinearSegments "Interpolation in mu_pos";
  parameter Real peak(final min=1) = 1 "Break-away coefficient over sliding coefficient at v = 0";
  parameter Real cgeo(final min=0) = 1 "Factor of the brake's geometry";
  parameter SI.Force fn_max(final min=0, start=1) "Normal force at full signal";
  SI.Position s "Position of the rod seen from the housing";
  SI.Force f "Friction force";
  SI.Velocity v "Velocity of the rod";
  SI.Acceleration a "Acceleration of the rod";
  Real mu "Friction coefficient, with the sign of the sliding direction";
  SI.Force fn "Normal force";
  Modelica.Blocks.Interfaces.RealInput f_normalized "Signal 0..1; the brake is released at 0"
    annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
protected
  final parameter Real mu0 = Ferrica.Functions.characteristic(mu_pos, 2, 0, smoothness) "Coefficient at v = 0";
equation
  s = s_a;
  s = s_b;
  v = der(s);
  a = der(v);
  v_relfric = v;
  a_relfric = a;
  fn = fn_max*f_normalized;
  free = fn <= 0;
  f0 = cgeo*mu0*fn;
  f0_max = peak*f0;
  mu = if direction > 0 then Ferrica.Functions.characteristic(mu_pos, 2, v, smoothness)
    else -Ferrica.Functions.characteristic(mu_pos, 2, -v, smoothness);
  f = if locked then sa*unitForce elseif free then 0 else cgeo*mu*fn;
  flange_a.f + flange_b.f = f;
  lossPower = f*v_relfric;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="Brake", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end Brake;
