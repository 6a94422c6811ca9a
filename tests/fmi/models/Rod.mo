model Rod "A rod between two flanges"
  connector Flange "One-dimensional flange"
    Real s(unit = "m") "Position";
    flow Real f(unit = "N") "Force";
  end Flange;
  connector Signal = input Real;
  connector Bus "A flange and a flag"
    Flange inner_flange;
    output Real level;
  end Bus;
  Flange left "Driven end";
  Bus bus;
  Signal u(start = 1);
  parameter Real c(unit = "N/m") = 100;
  Real x(start = 0, fixed = true);
protected
  Flange hidden;
equation
  left.s = x/c;
  hidden.s = x;
  bus.inner_flange.s = x;
  bus.level = 2*x;
  der(x) = u - x;
  annotation (Icon(graphics = {Rectangle(extent = {{-80, 20}, {80, -20}}, fillColor = {0, 127, 255},
    fillPattern = FillPattern.Solid)}), experiment(StopTime = 1));
end Rod;
