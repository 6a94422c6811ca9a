// A copper rod, hot in the middle, with both ends held at 20 degC: one equation of heat conduction in N cells.
// Look for: cell[N/2].T falls, after a short start, by the factor e every tau = L^2/(pi^2 a) = 86.8 s; the
// profile becomes half a sine. "Modelica.Thermal" components in arrays, joined in a loop.
model HeatRod "Heat conduction along a rod"
  parameter Integer N = 50 "Number of cells";
  parameter Modelica.Units.SI.Length L = 0.316 "Length of the rod";
  parameter Modelica.Units.SI.Area A = 1e-4 "Cross section";
  parameter Modelica.Units.SI.ThermalConductivity lambda = 400 "Conductivity of copper";
  parameter Real cv(unit="J/(m3.K)") = 3.43e6 "Heat capacity of copper per volume";
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor cell[N](
    each C=cv*A*L/N,
    T(start={293.15 + (if abs(i - (N + 1)/2) < N/8 then 100 else 0) for i in 1:N}, each fixed=true));
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor link[N - 1](each G=lambda*A*N/L);
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor left(G=2*lambda*A*N/L);
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor right(G=2*lambda*A*N/L);
  Modelica.Thermal.HeatTransfer.Sources.FixedTemperature ends(T=293.15);
equation
  connect(ends.port, left.port_a);
  connect(left.port_b, cell[1].port);
  for i in 1:N - 1 loop
    connect(cell[i].port, link[i].port_a);
    connect(link[i].port_b, cell[i + 1].port);
  end for;
  connect(cell[N].port, right.port_a);
  connect(right.port_b, ends.port);
  annotation(experiment(StopTime=300, Interval=1));
end HeatRod;
