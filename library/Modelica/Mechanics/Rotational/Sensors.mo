within Modelica.Mechanics.Rotational;
package Sensors "Ideal sensors"
  import Modelica.Units.SI;
  import Modelica.Blocks.Interfaces.RealOutput;

  model AngleSensor "Angle of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput phi(unit="rad", displayUnit="deg") "Angle"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    phi = flange.phi;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="AngleSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end AngleSensor;

  model SpeedSensor "Angular velocity of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput w(unit="rad/s") "Angular velocity"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    w = der(flange.phi);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SpeedSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SpeedSensor;

  model AccSensor "Angular acceleration of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    SI.AngularVelocity w "Angular velocity";
    RealOutput a(unit="rad/s2") "Angular acceleration"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    w = der(flange.phi);
    a = der(w);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="AccSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end AccSensor;

  model RelAngleSensor "Angle between two flanges"
    extends Interfaces.PartialRelativeSensor;
    RealOutput phi_rel(unit="rad", displayUnit="deg") "flange_b.phi - flange_a.phi"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    flange_a.tau = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelAngleSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelAngleSensor;

  model RelSpeedSensor "Relative angular velocity of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Angle phi_rel "Angle between the flanges";
    RealOutput w_rel(unit="rad/s") "Rate of the angle"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    w_rel = der(phi_rel);
    flange_a.tau = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelSpeedSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelSpeedSensor;

  model RelAccSensor "Relative angular acceleration of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Angle phi_rel "Angle between the flanges";
    SI.AngularVelocity w_rel "Rate of the angle";
    RealOutput a_rel(unit="rad/s2") "Rate of w_rel"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    w_rel = der(phi_rel);
    a_rel = der(w_rel);
    flange_a.tau = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelAccSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelAccSensor;

  model TorqueSensor "Torque through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput tau(unit="N.m") "Torque at flange_a"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    flange_b.phi = flange_a.phi;
    tau = flange_a.tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="TorqueSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end TorqueSensor;

  model PowerSensor "Power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    flange_b.phi = flange_a.phi;
    power = der(flange_a.phi)*flange_a.tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="PowerSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end PowerSensor;

  model MultiSensor "Torque, angular velocity and power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    RealOutput w(unit="rad/s") "Angular velocity"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    RealOutput tau(unit="N.m") "Torque at flange_a"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    flange_b.phi = flange_a.phi;
    w = der(flange_a.phi);
    tau = flange_a.tau;
    power = w*tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={95,95,95}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="MultiSensor", textColor={95,95,95}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end MultiSensor;
end Sensors;
