within Modelica.Mechanics.Translational;
package Sensors "Ideal sensors"
  import Modelica.Units.SI;
  import Modelica.Blocks.Interfaces.RealOutput;

  model PositionSensor "Position of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput s(unit="m") "Position"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    s = flange.s;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="PositionSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end PositionSensor;

  model SpeedSensor "Velocity of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput v(unit="m/s") "Velocity"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    v = der(flange.s);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SpeedSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SpeedSensor;

  model AccSensor "Acceleration of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    SI.Velocity v "Velocity";
    RealOutput a(unit="m/s2") "Acceleration"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    v = der(flange.s);
    a = der(v);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="AccSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end AccSensor;

  model RelPositionSensor "Distance of two flanges"
    extends Interfaces.PartialRelativeSensor;
    RealOutput s_rel(unit="m") "flange_b.s - flange_a.s"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    s_rel = flange_b.s - flange_a.s;
    flange_a.f = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelPositionSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelPositionSensor;

  model RelSpeedSensor "Relative velocity of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Position s_rel "Distance";
    RealOutput v_rel(unit="m/s") "Rate of the distance"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    flange_a.f = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelSpeedSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelSpeedSensor;

  model RelAccSensor "Relative acceleration of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Position s_rel "Distance";
    SI.Velocity v_rel "Rate of the distance";
    RealOutput a_rel(unit="m/s2") "Rate of v_rel"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    a_rel = der(v_rel);
    flange_a.f = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RelAccSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RelAccSensor;

  model ForceSensor "Force through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput f(unit="N") "Force at flange_a"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    flange_b.s = flange_a.s;
    f = flange_a.f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="ForceSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end ForceSensor;

  model PowerSensor "Power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    flange_b.s = flange_a.s;
    power = der(flange_a.s)*flange_a.f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="PowerSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end PowerSensor;

  model MultiSensor "Force, velocity and power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    RealOutput f(unit="N") "Force at flange_a"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    RealOutput v(unit="m/s") "Velocity"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
  equation
    flange_b.s = flange_a.s;
    f = flange_a.f;
    v = der(flange_a.s);
    power = v*f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="MultiSensor", textColor={0,127,0}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end MultiSensor;
end Sensors;
