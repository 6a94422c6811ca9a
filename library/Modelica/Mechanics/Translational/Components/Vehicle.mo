within Modelica.Mechanics.Translational.Components;
model Vehicle "Road vehicle: inertia, drag, rolling and slope resistance"
  import Modelica.Units.SI;
  parameter SI.Mass m "Mass of the vehicle";
  parameter SI.Acceleration g = Modelica.Constants.g_n "Gravity";
  parameter SI.Inertia J "Inertia of all that rotates, at the wheels";
  parameter SI.Length R "Wheel radius";
  parameter SI.Area A(start=1) "Cross section in the wind";
  parameter Real Cd(start=0.5) "Drag coefficient";
  parameter SI.Density rho = 1.2 "Density of air";
  parameter Boolean useWindInput = false "true: wind from the input vWind";
  parameter SI.Velocity vWindConstant = 0 "Wind in driving direction";
  parameter Boolean useCrInput = false "true: rolling coefficient from the input cr";
  parameter Real CrConstant = 0.015 "Coefficient of rolling resistance";
  parameter SI.Velocity vReg = 1e-3 "Width of the sign change of the rolling resistance";
  parameter Boolean useInclinationInput = false "true: slope from the input inclination";
  parameter Real inclinationConstant = 0 "Slope, tangent of the angle";
  SI.Position s(displayUnit="km", start=0) = mass.s "Position";
  SI.Velocity v(displayUnit="km/h", start=0) = mass.v "Velocity";
  SI.Acceleration a = mass.a "Acceleration";
  Modelica.Mechanics.Translational.Interfaces.Flange_b flangeT "To trailers and other loads"
    annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  Modelica.Mechanics.Rotational.Interfaces.Flange_a flangeR "Wheel axle"
    annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  Modelica.Blocks.Interfaces.RealInput inclination if useInclinationInput "Slope"
    annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  Modelica.Blocks.Interfaces.RealInput cr if useCrInput "Coefficient of rolling resistance"
    annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
  Modelica.Blocks.Interfaces.RealInput vWind(unit="m/s") if useWindInput "Wind in driving direction"
    annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  Modelica.Mechanics.Translational.Sources.QuadraticSpeedDependentForce fDrag(
    final useSupport=true,
    final f_nominal=-Cd*A*rho*vRef^2/2,
    final ForceDirection=false,
    final v_nominal=vRef) "Drag, relative to the wind";
  RollingResistance fRoll(
    final fWeight=m*g,
    final useCrInput=useCrInput,
    final CrConstant=CrConstant,
    final useInclinationInput=useInclinationInput,
    final inclinationConstant=inclinationConstant,
    final reg=Modelica.Blocks.Types.Regularization.Linear,
    final v0=vReg) "Rolling resistance";
  Modelica.Mechanics.Translational.Sources.Force fGrav "Slope resistance";
  Modelica.Mechanics.Rotational.Components.Inertia inertia(final J=J) "All that rotates";
  IdealRollingWheel idealRollingWheel(final radius=R) "Wheel";
  Mass mass(final m=m) "All that slides";
  Modelica.Mechanics.Translational.Sources.Speed windSpeed(s(fixed=true)) "Moving air";
protected
  constant SI.Velocity vRef = 1 "Reference of the drag law";
  Modelica.Blocks.Interfaces.RealInput slope "Slope in use"
    annotation(Placement(transformation(extent={{-140,-60},{-100,-20}})));
  Modelica.Blocks.Interfaces.RealInput wind(unit="m/s") "Wind in use"
    annotation(Placement(transformation(extent={{-140,0},{-100,40}})));
equation
  if not useInclinationInput then
    slope = inclinationConstant;
  end if;
  if not useWindInput then
    wind = vWindConstant;
  end if;
  connect(slope, inclination);
  connect(wind, vWind);
  connect(wind, windSpeed.v_ref);
  fGrav.f = -m*g*slope/sqrt(1 + slope^2);
  connect(cr, fRoll.cr);
  connect(inclination, fRoll.inclination);
  connect(windSpeed.flange, fDrag.support);
  connect(flangeR, inertia.flange_a);
  connect(inertia.flange_b, idealRollingWheel.flangeR);
  connect(idealRollingWheel.flangeT, mass.flange_a);
  connect(mass.flange_b, flangeT);
  connect(mass.flange_b, fDrag.flange);
  connect(mass.flange_b, fRoll.flange);
  connect(mass.flange_b, fGrav.flange);
  annotation(Icon(graphics={
    Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
    Text(extent={{-84,30},{84,-30}}, textString="Vehicle", textColor={95,95,95}),
    Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
end Vehicle;
