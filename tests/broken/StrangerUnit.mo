model StrangerUnit
  parameter Modelica.Units.SI.Length L = 1;
  parameter Modelica.Units.SI.Acceleration g = 9.81;
  Modelica.Units.SI.Angle phi(start = 0.5, fixed = true);
  Modelica.Units.SI.AngularVelocity w(start = 0, fixed = true);
equation
  w = der(phi);
  der(w) = -g*L*sin(phi);
end StrangerUnit;
// command: check
// code: W0304
// place: 8:3
// hint: check the formula, or the `unit` of the variables
