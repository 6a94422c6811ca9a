// TimeTable and CombiTimeTable: integrals of polygons with a jump, by trapezoids; the last line goes on with its slope.
model TimeTables
  import Modelica.Blocks.Types.*;
  Modelica.Blocks.Sources.TimeTable polygon(table=[0, 0; 1, 2; 1, 1; 2, 3]);
  Modelica.Blocks.Sources.TimeTable shifted(table=[0, 1; 1, 2], offset=10, startTime=0.5);
  Modelica.Blocks.Sources.CombiTimeTable combi(table=[0, 0, 0; 1, 2, 1; 1, 1, 1; 2, 3, 1], extrapolation=Extrapolation.LastTwoPoints);
  Modelica.Blocks.Sources.CombiTimeTable steps(table=[0, 1; 1, 2; 2, 5], smoothness=Smoothness.ConstantSegments,
    extrapolation=Extrapolation.HoldLastPoint);
  Modelica.Blocks.Sources.CombiTimeTable periodic(table=[0, 0; 1, 2], extrapolation=Extrapolation.Periodic);
  Real i[6](each start=0, each fixed=true);
equation
  der(i) = {polygon.y, shifted.y, combi.y[1], combi.y[2], steps.y[1], periodic.y[1]};
  when terminal() then
    // 1 + 2 + 4 up to 3 s with slope 2
    assert(abs(i[1] - 7) < 1e-5, "TimeTable");
    assert(abs(i[2] - (30 + 2.5 + 2.5^2/2)) < 1e-5, "TimeTable with offset and start");
    assert(abs(i[3] - 7) < 1e-5, "CombiTimeTable, first column");
    assert(abs(i[4] - 2.5) < 1e-5, "CombiTimeTable, second column");
    assert(abs(i[5] - 8) < 1e-5, "constant segments");
    assert(abs(i[6] - 3) < 1e-5, "periodic");
    assert(abs(combi.t_min) < 1e-12 and abs(combi.t_max - 2) < 1e-12, "range");
  end when;
  annotation(experiment(StopTime=3));
end TimeTables;
