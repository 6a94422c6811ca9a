// Exact conversions: 25 degC = 298.15 K = 77 degF = 536.67 degRk.
model HeatTransferUnits "Temperature scales, collectors and conditional sensors"
  import Modelica.Thermal.HeatTransfer.*;
  Celsius.FixedTemperature room(T=25);
  Celsius.TemperatureSensor sensorC;
  Fahrenheit.TemperatureSensor sensorF;
  Rankine.TemperatureSensor sensorR;
  Celsius.PrescribedTemperature hotC;
  Fahrenheit.PrescribedTemperature hotF;
  Rankine.PrescribedTemperature hotR;
  Celsius.ToKelvin toKelvinC;
  Celsius.FromKelvin fromKelvinC;
  Fahrenheit.ToKelvin toKelvinF;
  Fahrenheit.FromKelvin fromKelvinF;
  Rankine.ToKelvin toKelvinR;
  Rankine.FromKelvin fromKelvinR;
  Rankine.FixedTemperature fixedR(T=536.67);
  Components.ThermalConductor conductor[2, 2](each G=1);
  Components.ThermalCollectorMatrix collector(Ns=2, Np=2);
  Sources.FixedTemperature hot[2, 2](T=[300, 310; 320, 330]);
  Components.ThermalConductor toRoom(G=4);
  Sensors.ConditionalFixedHeatFlowSensor conditional(useFixedTemperature=true);
  Components.ThermalConductor last(G=2);
  Sensors.TemperatureSensor kelvin;
equation
  connect(room.port, sensorC.port);
  connect(room.port, sensorF.port);
  connect(room.port, sensorR.port);
  hotC.T = 100;
  hotF.T = 212;
  hotR.T = 671.67;
  toKelvinC.Celsius = 0;
  fromKelvinC.Kelvin = 273.15;
  toKelvinF.Fahrenheit = 32;
  fromKelvinF.Kelvin = 273.15;
  toKelvinR.Rankine = 491.67;
  fromKelvinR.Kelvin = 273.15;
  for i in 1:2, j in 1:2 loop
    connect(hot[i, j].port, conductor[i, j].port_a);
    connect(conductor[i, j].port_b, collector.port_a[i, j]);
  end for;
  connect(collector.port_b, toRoom.port_a);
  connect(toRoom.port_b, room.port);
  connect(collector.port_b, kelvin.port);
  connect(conditional.port_b, last.port_a);
  connect(last.port_b, fixedR.port);
  when terminal() then
    assert(abs(sensorC.T - 25) < 1e-9 and abs(sensorF.T - 77) < 1e-9 and abs(sensorR.T - 536.67) < 1e-9, "Sensors");
    assert(abs(hotC.port.T - 373.15) < 1e-9 and abs(hotF.port.T - 373.15) < 1e-9
      and abs(hotR.port.T - 373.15) < 1e-9, "Sources");
    assert(abs(toKelvinC.Kelvin - 273.15) < 1e-9 and abs(toKelvinF.Kelvin - 273.15) < 1e-9
      and abs(toKelvinR.Kelvin - 273.15) < 1e-9, "To kelvin");
    assert(abs(fromKelvinC.Celsius) < 1e-9 and abs(fromKelvinF.Fahrenheit - 32) < 1e-9
      and abs(fromKelvinR.Rankine - 491.67) < 1e-9, "From kelvin");
    // Mean of the four hot sides 315 K through 4 W/K, then 4 W/K to the room: half way to 298.15 K.
    assert(abs(kelvin.T - (315 + 298.15)/2) < 1e-9, "Collector matrix");
    assert(abs(conditional.Q_flow - 2*(293.15 - 298.15)) < 1e-9, "Conditional sensor");
  end when;
  annotation(experiment(StopTime=0.1));
end HeatTransferUnits;
