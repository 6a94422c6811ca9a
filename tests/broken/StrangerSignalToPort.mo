model StrangerSignalToPort
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor c(C = 1000, T(start = 293.15, fixed = true));
  Modelica.Blocks.Sources.Step s(height = 100);
  Modelica.Thermal.HeatTransfer.Sources.PrescribedHeatFlow q;
equation
  connect(s.y, q.port);
  connect(q.port, c.port);
end StrangerSignalToPort;
// command: run
// code: E0352
// place: 6:3
// hint: connect connectors of the same class, or with the same variables
// edit: connect(s.y, q.port) ==> connect(s.y, q.Q_flow)
