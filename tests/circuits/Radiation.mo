model Radiation "A hot body that radiates to a colder one, which is cooled"
  import Modelica.Thermal.HeatTransfer.{Components, Sources};
  Components.HeatCapacitor hot(C = 50, T(start = 900, fixed = true)), cold(C = 100, T(start = 300, fixed = true));
  Components.BodyRadiation radiation(Gr = 0.02);
  Components.ThermalConductor wall(G = 0.5);
  Sources.FixedTemperature room(T = 293.15);
  output Real rate = hot.der_T;
  output Real T = cold.T;
equation
  connect(hot.port, radiation.port_a);
  connect(radiation.port_b, cold.port);
  connect(cold.port, wall.port_a);
  connect(wall.port_b, room.port);
end Radiation;
