// Tables: linear interpolation and extrapolation by hand; a bilinear surface is reproduced exactly;
// smooth interpolation of points on a straight line is that line.
model TableBlocks
  import Modelica.Blocks.Types.*;
  import Modelica.Blocks.Tables.*;
  CombiTable1Ds ds(table=[0, 0, 10; 1, 2, 20; 3, 6, 50]);
  CombiTable1Ds hold(table=[0, 0; 1, 2], extrapolation=Extrapolation.HoldLastPoint);
  CombiTable1Ds steps(table=[0, 1; 1, 2; 2, 5], smoothness=Smoothness.ConstantSegments);
  CombiTable1Ds akima(table=[0, 0; 1, 2; 2, 4; 3, 6; 4, 8], smoothness=Smoothness.ContinuousDerivative);
  CombiTable1Ds monotone(table=[0, 0; 1, 2; 2, 4; 3, 6; 4, 8], smoothness=Smoothness.MonotoneContinuousDerivative1);
  CombiTable1Dv dv(table=[0, 0, 10; 1, 2, 20; 3, 6, 50]);
  CombiTable2Ds surface(table=[0, 0, 1, 2; 0, 0, 0, 0; 2, 0, 2, 4; 3, 0, 3, 6]) "u1*u2";
  CombiTable2Dv surfaces(n=2, table=[0, 0, 1, 2; 0, 0, 0, 0; 2, 0, 2, 4; 3, 0, 3, 6]);
equation
  ds.u = 2 + time; hold.u = 5; steps.u = 1 + 0.5*time; akima.u = 2.5; monotone.u = 2.5; dv.u = {0.5, 4};
  surface.u1 = 1 + time; surface.u2 = 1.5; surfaces.u1 = {0.5, 2.5}; surfaces.u2 = {0.5, 2};
  when time >= 0.5 then
    assert(abs(ds.y[1] - 5) < 1e-9 and abs(ds.y[2] - 42.5) < 1e-9, "CombiTable1Ds");
    assert(abs(surface.y - 2.25) < 1e-9, "CombiTable2Ds");
  end when;
  when terminal() then
    assert(abs(ds.y[2] - 50) < 1e-9 and abs(ds.u_min) < 1e-12 and abs(ds.u_max - 3) < 1e-12, "end of the table");
    assert(abs(hold.y[1] - 2) < 1e-9, "HoldLastPoint");
    assert(abs(steps.y[1] - 2) < 1e-9, "ConstantSegments");
    assert(abs(akima.y[1] - 5) < 1e-9 and abs(monotone.y[1] - 5) < 1e-9, "smooth interpolation");
    assert(abs(dv.y[1] - 1) < 1e-9 and abs(dv.y[2] - 65) < 1e-9, "CombiTable1Dv");
    assert(abs(surface.y - 3) < 1e-9, "CombiTable2Ds at a row");
    assert(abs(surfaces.y[1] - 0.25) < 1e-9 and abs(surfaces.y[2] - 5) < 1e-9, "CombiTable2Dv");
  end when;
end TableBlocks;
