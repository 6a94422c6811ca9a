// Routing: numbered signals arrive where they belong.
model RoutingBlocks
  import Modelica.Blocks.Routing.*;
  Replicator replicator(nout=3);
  IntegerReplicator ireplicator(nout=2);
  BooleanReplicator breplicator(nout=2);
  ExtractSignal extract(nin=4, nout=2, extract={3, 1});
  Extractor extractor(nin=3);
  Extractor outside(nin=3, allowOutOfRange=true, outOfRangeValue=-7);
  Multiplex multiplex(n=3);
  Multiplex2 m2(n1=2, n2=1);
  Multiplex3 m3;
  Multiplex4 m4;
  Multiplex5 m5;
  Multiplex6 m6;
  DeMultiplex demultiplex(n=3);
  DeMultiplex2 d2(n1=2, n2=1);
  DeMultiplex3 d3;
  DeMultiplex4 d4;
  DeMultiplex5 d5;
  DeMultiplex6 d6;
  RealPassThrough pass;
  IntegerPassThrough ipass;
  BooleanPassThrough bpass;
  Modelica.Blocks.Interaction.Show.RealValue show;
  Modelica.Blocks.Interaction.Show.IntegerValue ishow(use_numberPort=false, number=4);
  Modelica.Blocks.Interaction.Show.BooleanValue bshow;
equation
  replicator.u = 2; ireplicator.u = 3; breplicator.u = true; extract.u = {1, 2, 3, 4};
  extractor.u = {10, 20, 30}; extractor.index = if time < 0.5 then 1 else 3;
  outside.u = {10, 20, 30}; outside.index = if time < 0.5 then 2 else 4;
  multiplex.u = {1, 2, 3}; m2.u1 = {1, 2}; m2.u2 = {3}; m3.u1 = {1}; m3.u2 = {2}; m3.u3 = {3};
  connect(m3.y, d3.u); connect(m2.y, d2.u); connect(m4.y, d4.u); connect(m5.y, d5.u); connect(m6.y, d6.u);
  m4.u1 = {1}; m4.u2 = {2}; m4.u3 = {3}; m4.u4 = {4};
  m5.u1 = {1}; m5.u2 = {2}; m5.u3 = {3}; m5.u4 = {4}; m5.u5 = {5};
  m6.u1 = {1}; m6.u2 = {2}; m6.u3 = {3}; m6.u4 = {4}; m6.u5 = {5}; m6.u6 = {6};
  demultiplex.u = {1, 2, 3}; pass.u = 5; ipass.u = 6; bpass.u = true; show.numberPort = 3; bshow.activePort = true;
  when time >= 0.4 then
    assert(abs(extractor.y - (10)) < 1e-9 and abs(outside.y - (20)) < 1e-9, "Extractor, first element");
  end when;
  when terminal() then
    assert(abs(sum(replicator.y) - (6)) < 1e-9 and sum(ireplicator.y) == 6 and breplicator.y[2], "replicators");
    assert(abs(extract.y[1] - (3)) < 1e-9 and abs(extract.y[2] - (1)) < 1e-9, "ExtractSignal");
    assert(abs(extractor.y - (30)) < 1e-9 and abs(outside.y - (-7)) < 1e-9, "Extractor");
    assert(abs(multiplex.y[3] - (3)) < 1e-9 and abs(demultiplex.y[2] - (2)) < 1e-9, "Multiplex");
    assert(abs(d2.y1[2] - (2)) < 1e-9 and abs(d2.y2[1] - (3)) < 1e-9 and abs(d3.y3[1] - (3)) < 1e-9 and abs(d4.y4[1] - (4)) < 1e-9 and abs(d5.y5[1] - (5)) < 1e-9 and abs(d6.y6[1] - (6)) < 1e-9, "DeMultiplex");
    assert(abs(pass.y - (5)) < 1e-9 and ipass.y == 6 and bpass.y, "pass through");
    assert(abs(show.showNumber - (3)) < 1e-9 and ishow.showNumber == 4 and bshow.showActive, "Show");
  end when;
end RoutingBlocks;
