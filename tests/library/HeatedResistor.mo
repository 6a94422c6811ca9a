// A resistor with heat port in a heat capacity: 100 W into 50 J/K warm it by 2 K/s; with alpha and a fixed temperature
// 30 K above the reference the resistance is 130 %.
model HeatedResistor
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Basic.Ground ground;
  Basic.Resistor r(R=1, useHeatPort=true);
  Basic.Resistor hot(R=1, alpha=0.01, T_ref=300, useHeatPort=true);
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor capacity(C=50, T(start=300, fixed=true));
  Modelica.Thermal.HeatTransfer.Sources.FixedTemperature fixed(T=330);
equation
  connect(v.n, ground.p); connect(v.p, r.p); connect(r.n, ground.p); connect(v.p, hot.p); connect(hot.n, ground.p);
  connect(r.heatPort, capacity.port); connect(hot.heatPort, fixed.port);
  when terminal() then
    assert(abs(capacity.T - 302) < 1e-4, "heat of the resistor");
    assert(abs(hot.i - 10/1.3) < 1e-9, "resistance at the temperature of the port");
    assert(abs(fixed.port.Q_flow - 100/1.3) < 1e-6, "heat flow into the fixed temperature");
  end when;
end HeatedResistor;
