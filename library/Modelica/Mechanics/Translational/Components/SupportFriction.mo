within Modelica.Mechanics.Translational.Components;
model SupportFriction "Dry friction between a rod and its housing"
  import Modelica.Units.SI;
  import Modelica.Blocks.Types.Smoothness;
  extends Modelica.Mechanics.Translational.Interfaces.PartialElementaryTwoFlangesAndSupport2;
  extends Modelica.Mechanics.Translational.Interfaces.PartialFriction;
  extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
  parameter Real f_pos[:, 2] = [0, 1] "Friction force [N] (column 2) over sliding velocity [m/s] (column 1)";
  parameter Smoothness smoothness = Smoothness.LinearSegments "Interpolation in f_pos";
  parameter Real peak(final min=1) = 1 "Break-away force over sliding force at v = 0";
  SI.Position s "Position of the rod seen from the housing";
  SI.Force f "Friction force";
  SI.Velocity v "Velocity of the rod";
  SI.Acceleration a "Acceleration of the rod";
equation
  s = s_a;
  s = s_b;
  v = der(s);
  a = der(v);
  v_relfric = v;
  a_relfric = a;
  free = false;
  f0 = Ferrica.Functions.characteristic(f_pos, 2, 0, smoothness);
  f0_max = peak*f0;
  f = if locked then sa*unitForce else direction*Ferrica.Functions.characteristic(f_pos, 2, direction*v, smoothness);
  flange_a.f + flange_b.f = f;
  lossPower = f*v_relfric;
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="SupportFriction", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end SupportFriction;
