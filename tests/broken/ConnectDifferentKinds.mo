model ConnectDifferentKinds
  Modelica.Electrical.Analog.Basic.Ground ground;
  Modelica.Mechanics.Rotational.Components.Fixed fixed;
equation
  connect(ground.p, fixed.flange);
end ConnectDifferentKinds;
// command: run
// code: E0352
// place: 5:3
// hint: connect connectors of the same class, or with the same variables
