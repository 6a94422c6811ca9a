model Ball "A ball that bounces"
  parameter Real e = 0.8 "Coefficient of restitution";
  parameter Real g = 9.81 "Gravity";
  parameter Real weight = 2*g;
  Real h(start = 1, fixed = true, unit = "m") "Height";
  Real v(start = 0, fixed = true, unit = "m/s") "Velocity";
  output Real energy = g*h + v^2/2;
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation (experiment(StopTime = 3));
end Ball;
