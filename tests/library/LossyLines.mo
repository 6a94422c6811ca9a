// Lines of sections at direct voltage, settled: current V/(r l + R) with r l = 10 Ohm, R = 90 Ohm and no leakage;
// coupled lines alike, each with its own resistance.
model LossyLines
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Basic.Ground ground;
  Basic.Resistor load[4](each R=90);
  Lines.ULine uline(r=10, c=1e-3, length=1, N=4);
  Lines.OLine oline(r=10, l=1e-3, g=1e-12, c=1e-3, length=1, N=4);
  Lines.M_OLine mline(lines=2, N=3, length=1, r={10, 20}, l={1e-3, 0.5e-3, 1e-3}, g={1e-12, 1e-12, 1e-12},
    c={1e-3, 0.5e-3, 1e-3});
equation
  connect(v.n, ground.p);
  connect(v.p, uline.p1); connect(uline.p2, load[1].p); connect(uline.p3, ground.p);
  connect(v.p, oline.p1); connect(oline.p2, load[2].p); connect(oline.p3, ground.p);
  connect(v.p, mline.p[1]); connect(v.p, mline.p[2]); connect(mline.n[1], load[3].p); connect(mline.n[2], load[4].p);
  for k in 1:4 loop
    connect(load[k].n, ground.p);
  end for;
  when terminal() then
    assert(abs(load[1].i - 0.1) < 1e-5, "ULine");
    assert(abs(load[2].i - 0.1) < 1e-5, "OLine");
    assert(abs(load[3].i - 0.1) < 1e-5 and abs(load[4].i - 10/110) < 1e-5, "M_OLine");
  end when;
  annotation(experiment(StopTime=5));
end LossyLines;
