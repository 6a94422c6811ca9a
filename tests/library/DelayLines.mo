// A line with Z0 = 50 Ohm between matched 50 Ohm: half of the step arrives after the travelling time 0.1 s at the far end
// and stays; with an open end (1 GOhm) the wave doubles there and is back at the near end after 0.2 s.
model DelayLines
  import Modelica.Electrical.Analog.*;
  Sources.StepVoltage v(V=2, startTime=0.05);
  Basic.Ground ground;
  Basic.Resistor source[5](each R=50);
  Basic.Resistor load[5](R={50, 50, 50, 50, 1e9});
  Lines.TLine line(Z0=50, TD=0.1);
  Lines.TLine1 line1(Z0=50, TD=0.1);
  Lines.TLine2 line2(Z0=50, F=5, NL=0.5);
  Lines.TLine3 line3(Z0=50, F=2.5);
  Lines.TLine open1(Z0=50, F=2.5);
equation
  connect(v.n, ground.p);
  for k in 1:5 loop
    connect(v.p, source[k].p); connect(load[k].n, ground.p);
  end for;
  connect(source[1].n, line.p1); connect(line.p2, load[1].p); connect(line.n1, ground.p); connect(line.n2, ground.p);
  connect(source[2].n, line1.p1); connect(line1.p2, load[2].p); connect(line1.n1, ground.p); connect(line1.n2, ground.p);
  connect(source[3].n, line2.p1); connect(line2.p2, load[3].p); connect(line2.n1, ground.p); connect(line2.n2, ground.p);
  connect(source[4].n, line3.p1); connect(line3.p2, load[4].p); connect(line3.n1, ground.p); connect(line3.n2, ground.p);
  connect(source[5].n, open1.p1); connect(open1.p2, load[5].p); connect(open1.n1, ground.p); connect(open1.n2, ground.p);
  when time >= 0.1 then
    assert(abs(line.v1 - 1) < 1e-6 and abs(load[1].v) < 1e-6, "the wave is under way");
  end when;
  when time >= 0.2 then
    assert(abs(load[1].v - 1) < 1e-3 and abs(load[2].v - 1) < 1e-3 and abs(load[3].v - 1) < 1e-3 and abs(load[4].v - 1) < 1e-3,
      "the wave has arrived");
    assert(abs(load[5].v - 2) < 1e-3 and abs(open1.v1 - 1) < 1e-3, "the wave doubles at the open end");
  end when;
  when terminal() then
    assert(abs(open1.v1 - 2) < 1e-3, "the echo is back");
    assert(abs(line.v1 - 1) < 1e-3, "no echo from the matched end");
  end when;
  annotation(experiment(StopTime=0.4));
end DelayLines;
