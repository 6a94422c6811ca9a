// Diodes at given voltages: i = Ids (exp(v/Vt) - 1) + v/R, straight above Maxexp; Zener breakdown of Ibv at -Bv.
model Junctions
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage low(V=0.4);
  Sources.ConstantVoltage high(V=1);
  Sources.ConstantVoltage reverse(V=-5.1);
  Basic.Ground ground;
  Semiconductors.Diode d1;
  Semiconductors.Diode d2;
  Semiconductors.Diode warm(useTemperatureDependency=true);
  Semiconductors.Diode2 d3(Rs=0.001);
  Semiconductors.ZDiode z1;
  Semiconductors.ZDiode z2;
  Modelica.Thermal.HeatTransfer.Sources.FixedTemperature fixed(T=300.15);
  constant Real vt = Modelica.Constants.R*293.15/Modelica.Constants.F;
  constant Real vtk = Modelica.Constants.k*300.15/Modelica.Constants.q;
equation
  connect(low.n, ground.p); connect(high.n, ground.p); connect(reverse.n, ground.p);
  connect(low.p, d1.p); connect(d1.n, ground.p); connect(high.p, d2.p); connect(d2.n, ground.p);
  connect(low.p, warm.p); connect(warm.n, ground.p); connect(warm.heatPort, fixed.port);
  connect(low.p, d3.p); connect(d3.n, ground.p);
  connect(low.p, z1.p); connect(z1.n, ground.p); connect(reverse.p, z2.p); connect(z2.n, ground.p);
  when terminal() then
    assert(abs(d1.i - (1e-6*(exp(10) - 1) + 0.4e-8)) < 1e-12, "Diode");
    assert(abs(d2.i - (1e-6*(exp(15)*11 - 1) + 1e-8)) < 1e-9, "Diode above Maxexp");
    assert(abs(warm.i - (1e-6*(exp(15)*(1 + 0.4/vtk - 15) - 1) + 0.4e-8)) < 1e-9, "Diode at the reference temperature");
    assert(abs(d3.i - (1e-13*(exp(0.4/vt) - 1) + 0.4e-6)) < 1e-8, "Diode2");
    assert(abs(z1.i - (1e-6*(exp(10) - 1) + 0.4e-8 - 0.7*exp(-5.5/(0.74*0.04)))) < 1e-10, "ZDiode, forward");
    assert(abs(z2.i - (-1e-6 - 0.7 - 5.1e-8)) < 1e-10, "ZDiode, breakdown");
  end when;
end Junctions;
