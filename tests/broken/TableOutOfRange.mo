model TableOutOfRange
  Modelica.Blocks.Tables.CombiTable1Ds table(table=[0, 0; 1, 1], extrapolation=Modelica.Blocks.Types.Extrapolation.NoExtrapolation);
equation
  table.u = 2*time;
end TableOutOfRange;
// command: run
// code: E0605
// place: 2:40
