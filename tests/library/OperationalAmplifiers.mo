// Inverting amplifiers with R2/R1 = 2: -2 V from 1 V, up to the finite gain; limited ones stop at the supply of 5 V.
// Basic.OpAmp follows out = A vin/(1 + A |vin|/V) in open loop: A = 1000, vin = 5 mV, V = 5: 5/(1 + 1) = 2.5 V.
model OperationalAmplifiers
  import Modelica.Electrical.Analog.*;
  Sources.SupplyVoltage supply(Vps=5, Vns=-5);
  Sources.ConstantVoltage one(V=1);
  Sources.ConstantVoltage four(V=4);
  Sources.ConstantVoltage small(V=5e-3);
  Basic.Ground ground;
  Ideal.IdealOpAmp ideal;
  Ideal.IdealOpAmp3Pin ideal3;
  Ideal.IdealOpAmpLimited limited;
  Ideal.IdealOpAmpLimited saturated;
  Ideal.IdealizedOpAmpLimited idealized(Vps=5, Vns=-5);
  Ideal.IdealizedOpAmpLimited supplied(useSupply=true);
  Basic.OpAmp basic(Slope=1000);
  Basic.Resistor r1[6](each R=1000);
  Basic.Resistor r2[6](each R=2000);
equation
  connect(supply.ground, ground.p); connect(one.n, ground.p); connect(four.n, ground.p); connect(small.n, ground.p);
  connect(one.p, r1[1].p); connect(one.p, r1[2].p); connect(one.p, r1[3].p); connect(four.p, r1[4].p);
  connect(one.p, r1[5].p); connect(four.p, r1[6].p);
  for k in 1:6 loop
    connect(r1[k].n, r2[k].p);
  end for;
  connect(r1[1].n, ideal.n1); connect(ideal.p1, ground.p); connect(ideal.p2, r2[1].n); connect(ideal.n2, ground.p);
  connect(r1[2].n, ideal3.in_n); connect(ideal3.in_p, ground.p); connect(ideal3.out, r2[2].n);
  connect(r1[3].n, limited.in_n); connect(limited.in_p, ground.p); connect(limited.out, r2[3].n);
  connect(limited.VMax, supply.pin_p); connect(limited.VMin, supply.pin_n);
  connect(r1[4].n, saturated.in_n); connect(saturated.in_p, ground.p); connect(saturated.out, r2[4].n);
  connect(saturated.VMax, supply.pin_p); connect(saturated.VMin, supply.pin_n);
  connect(r1[5].n, idealized.in_n); connect(idealized.in_p, ground.p); connect(idealized.out, r2[5].n);
  connect(r1[6].n, supplied.in_n); connect(supplied.in_p, ground.p); connect(supplied.out, r2[6].n);
  connect(supplied.s_p, supply.pin_p); connect(supplied.s_n, supply.pin_n);
  connect(basic.in_p, small.p); connect(basic.in_n, ground.p); connect(basic.VMax, supply.pin_p); connect(basic.VMin, supply.pin_n);
  when terminal() then
    assert(abs(ideal.v2 + 2) < 1e-9, "IdealOpAmp");
    assert(abs(ideal3.out.v + 2) < 1e-9, "IdealOpAmp3Pin");
    assert(abs(limited.out.v + 2) < 1e-9, "IdealOpAmpLimited");
    assert(abs(saturated.out.v + 5) < 1e-9, "IdealOpAmpLimited at the supply");
    assert(abs(idealized.out.v + 2/(1 + 3/15000)) < 1e-6, "IdealizedOpAmpLimited");
    assert(abs(supplied.out.v + 5) < 1e-9, "IdealizedOpAmpLimited at the supply");
    assert(abs(basic.out.v - 2.5) < 1e-9, "OpAmp");
  end when;
end OperationalAmplifiers;
