within Modelica.Mechanics.Translational;
package Sensors "Ideal sensors"
  import Modelica.Units.SI;
  import Modelica.Blocks.Interfaces.RealOutput;

  model PositionSensor "Position of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput s(unit="m") "Position";
  equation
    s = flange.s;
  end PositionSensor;

  model SpeedSensor "Velocity of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput v(unit="m/s") "Velocity";
  equation
    v = der(flange.s);
  end SpeedSensor;

  model AccSensor "Acceleration of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    SI.Velocity v "Velocity";
    RealOutput a(unit="m/s2") "Acceleration";
  equation
    v = der(flange.s);
    a = der(v);
  end AccSensor;

  model RelPositionSensor "Distance of two flanges"
    extends Interfaces.PartialRelativeSensor;
    RealOutput s_rel(unit="m") "flange_b.s - flange_a.s";
  equation
    s_rel = flange_b.s - flange_a.s;
    flange_a.f = 0;
  end RelPositionSensor;

  model RelSpeedSensor "Relative velocity of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Position s_rel "Distance";
    RealOutput v_rel(unit="m/s") "Rate of the distance";
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    flange_a.f = 0;
  end RelSpeedSensor;

  model RelAccSensor "Relative acceleration of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Position s_rel "Distance";
    SI.Velocity v_rel "Rate of the distance";
    RealOutput a_rel(unit="m/s2") "Rate of v_rel";
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    a_rel = der(v_rel);
    flange_a.f = 0;
  end RelAccSensor;

  model ForceSensor "Force through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput f(unit="N") "Force at flange_a";
  equation
    flange_b.s = flange_a.s;
    f = flange_a.f;
  end ForceSensor;

  model PowerSensor "Power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b";
  equation
    flange_b.s = flange_a.s;
    power = der(flange_a.s)*flange_a.f;
  end PowerSensor;

  model MultiSensor "Force, velocity and power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b";
    RealOutput f(unit="N") "Force at flange_a";
    RealOutput v(unit="m/s") "Velocity";
  equation
    flange_b.s = flange_a.s;
    f = flange_a.f;
    v = der(flange_a.s);
    power = v*f;
  end MultiSensor;
end Sensors;
