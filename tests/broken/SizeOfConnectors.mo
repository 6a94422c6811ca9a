model SizeOfConnectors
  Modelica.Blocks.Interfaces.RealInput u[2];
  Modelica.Blocks.Interfaces.RealOutput y[3];
equation
  connect(u, y);
end SizeOfConnectors;
// command: run
// code: E0350
// place: 5:3
// hint: connect arrays of the same size, or elements one by one in a for-loop
