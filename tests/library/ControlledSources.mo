// The four controlled sources and the gyrators into 2 Ohm: output = gain times input.
// built-in only: IdealGyrator under Ideal
model ControlledSources
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=3);
  Sources.ConstantCurrent i(I=2) "From p to n: -2 A leave at p";
  Basic.Ground ground;
  Basic.VCV vcv(gain=4);
  Basic.VCC vcc(transConductance=0.5);
  Basic.CCV ccv(transResistance=4);
  Basic.CCC ccc(gain=3);
  Basic.Gyrator gyrator(G1=0.5, G2=0.25);
  Ideal.IdealGyrator idealGyrator(G=0.5);
  Basic.Resistor r[6](each R=2);
equation
  connect(v.n, ground.p); connect(i.n, ground.p);
  connect(v.p, vcv.p1); connect(vcv.n1, ground.p); connect(v.p, vcc.p1); connect(vcc.n1, ground.p);
  connect(i.p, ccv.n1); connect(ccv.p1, ccc.n1); connect(ccc.p1, ground.p);
  connect(v.p, gyrator.p1); connect(gyrator.n1, ground.p);
  connect(v.p, idealGyrator.p1); connect(idealGyrator.n1, ground.p);
  connect(vcv.p2, r[1].p); connect(vcc.p2, r[2].p); connect(ccv.p2, r[3].p); connect(ccc.p2, r[4].p);
  connect(gyrator.p2, r[5].p); connect(idealGyrator.p2, r[6].p);
  connect(vcv.n2, ground.p); connect(vcc.n2, ground.p); connect(ccv.n2, ground.p); connect(ccc.n2, ground.p);
  connect(gyrator.n2, ground.p); connect(idealGyrator.n2, ground.p);
  for k in 1:6 loop
    connect(r[k].n, ground.p);
  end for;
  when terminal() then
    assert(abs(r[1].v - 12) < 1e-9, "VCV");
    assert(abs(r[2].i + 1.5) < 1e-9, "VCC");
    assert(abs(r[3].v - 8) < 1e-9, "CCV");
    assert(abs(r[4].i + 6) < 1e-9, "CCC");
    assert(abs(r[5].i - 1.5) < 1e-9 and abs(gyrator.i1 - 0.75) < 1e-9, "Gyrator");
    assert(abs(r[6].i - 1.5) < 1e-9 and abs(idealGyrator.i1 - 1.5) < 1e-9, "IdealGyrator");
  end when;
end ControlledSources;
