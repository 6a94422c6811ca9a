// Transformer with secondary open: v2 = M/L1 v1 (after the resistor is removed: direct voltage source).
// IdealTransformer n = 2 into 5 Ohm from 10 V: 1 A and 0.5 A, plus the magnetizing current v t/Lm.
// M_Transformer with L = [1, 0.5; 0.5, 1] and both coils in series with 3 V: i = 3 t/(1 + 1 + 2*0.5).
model Transformers
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Sources.ConstantVoltage v3(V=3);
  Basic.Ground ground;
  Basic.Transformer open1(L1=2, L2=3, M=1.5, i1(start=0, fixed=true), i2(start=0, fixed=true));
  Basic.Resistor load1(R=1e9);
  Ideal.IdealTransformer ideal(n=2);
  Basic.Resistor load2(R=5);
  Ideal.IdealTransformer magnetized(n=2, considerMagnetization=true, Lm1=4);
  Basic.Resistor load3(R=5);
  Basic.M_Transformer coupled(N=2, L={1, 0.5, 1}, i(each fixed=false));
initial equation
  coupled.i[1] = 0;
equation
  connect(v.n, ground.p); connect(v3.n, ground.p);
  connect(v.p, open1.p1); connect(open1.n1, ground.p); connect(open1.p2, load1.p); connect(load1.n, open1.n2);
  connect(open1.n2, ground.p);
  connect(v.p, ideal.p1); connect(ideal.n1, ground.p); connect(ideal.p2, load2.p); connect(load2.n, ideal.n2);
  connect(ideal.n2, ground.p);
  connect(v.p, magnetized.p1); connect(magnetized.n1, ground.p); connect(magnetized.p2, load3.p);
  connect(load3.n, magnetized.n2); connect(magnetized.n2, ground.p);
  connect(v3.p, coupled.p[1]); connect(coupled.n[1], coupled.p[2]); connect(coupled.n[2], ground.p);
  when terminal() then
    assert(abs(open1.v2 - 7.5) < 1e-4, "Transformer");
    assert(abs(ideal.v2 - 5) < 1e-9 and abs(ideal.i1 - 0.5) < 1e-9 and abs(load2.i - 1) < 1e-9, "IdealTransformer");
    assert(abs(magnetized.i1 - (0.5 + 10/4)) < 1e-4, "IdealTransformer with magnetization");
    assert(abs(coupled.i[1] - 1) < 1e-5, "M_Transformer");
  end when;
end Transformers;
