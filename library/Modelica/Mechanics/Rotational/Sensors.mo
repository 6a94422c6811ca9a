within Modelica.Mechanics.Rotational;
package Sensors "Ideal sensors"
  import Modelica.Units.SI;
  import Modelica.Blocks.Interfaces.RealOutput;

  model AngleSensor "Angle of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput phi(unit="rad", displayUnit="deg") "Angle";
  equation
    phi = flange.phi;
  end AngleSensor;

  model SpeedSensor "Angular velocity of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    RealOutput w(unit="rad/s") "Angular velocity";
  equation
    w = der(flange.phi);
  end SpeedSensor;

  model AccSensor "Angular acceleration of a flange"
    extends Interfaces.PartialAbsoluteSensor;
    SI.AngularVelocity w "Angular velocity";
    RealOutput a(unit="rad/s2") "Angular acceleration";
  equation
    w = der(flange.phi);
    a = der(w);
  end AccSensor;

  model RelAngleSensor "Angle between two flanges"
    extends Interfaces.PartialRelativeSensor;
    RealOutput phi_rel(unit="rad", displayUnit="deg") "flange_b.phi - flange_a.phi";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    flange_a.tau = 0;
  end RelAngleSensor;

  model RelSpeedSensor "Relative angular velocity of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Angle phi_rel "Angle between the flanges";
    RealOutput w_rel(unit="rad/s") "Rate of the angle";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    w_rel = der(phi_rel);
    flange_a.tau = 0;
  end RelSpeedSensor;

  model RelAccSensor "Relative angular acceleration of two flanges"
    extends Interfaces.PartialRelativeSensor;
    SI.Angle phi_rel "Angle between the flanges";
    SI.AngularVelocity w_rel "Rate of the angle";
    RealOutput a_rel(unit="rad/s2") "Rate of w_rel";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    w_rel = der(phi_rel);
    a_rel = der(w_rel);
    flange_a.tau = 0;
  end RelAccSensor;

  model TorqueSensor "Torque through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput tau(unit="N.m") "Torque at flange_a";
  equation
    flange_b.phi = flange_a.phi;
    tau = flange_a.tau;
  end TorqueSensor;

  model PowerSensor "Power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b";
  equation
    flange_b.phi = flange_a.phi;
    power = der(flange_a.phi)*flange_a.tau;
  end PowerSensor;

  model MultiSensor "Torque, angular velocity and power through a rigid connection"
    extends Interfaces.PartialRelativeSensor;
    RealOutput power(unit="W") "Power from flange_a to flange_b";
    RealOutput w(unit="rad/s") "Angular velocity";
    RealOutput tau(unit="N.m") "Torque at flange_a";
  equation
    flange_b.phi = flange_a.phi;
    w = der(flange_a.phi);
    tau = flange_a.tau;
    power = w*tau;
  end MultiSensor;
end Sensors;
