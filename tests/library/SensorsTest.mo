// Sensors at 12 V over 3 Ohm: potential 12 V, voltage 12 V, current 4 A, power 48 W.
model SensorsTest
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=12);
  Basic.Ground ground;
  Basic.Resistor r(R=3);
  Sensors.PotentialSensor potential;
  Sensors.VoltageSensor voltage;
  Sensors.CurrentSensor current;
  Sensors.PowerSensor power;
  Sensors.MultiSensor multi;
equation
  connect(v.n, ground.p); connect(v.p, current.p); connect(current.n, power.pc); connect(power.nc, multi.pc);
  connect(multi.nc, r.p); connect(r.n, ground.p);
  connect(power.pv, r.p); connect(power.nv, r.n); connect(multi.pv, r.p); connect(multi.nv, r.n);
  connect(potential.p, r.p); connect(voltage.p, r.p); connect(voltage.n, r.n);
  when terminal() then
    assert(abs(potential.phi - 12) < 1e-9 and abs(voltage.v - 12) < 1e-9 and abs(current.i - 4) < 1e-9, "sensors");
    assert(abs(power.power - 48) < 1e-9, "PowerSensor");
    assert(abs(multi.v - 12) < 1e-9 and abs(multi.i - 4) < 1e-9 and abs(multi.power - 48) < 1e-9, "MultiSensor");
  end when;
end SensorsTest;
