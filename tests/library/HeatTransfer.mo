// Closed forms: two bodies exchange heat with the time constant C/(2 G); convection and radiation at steady state.
model HeatTransfer "Heat storage, conduction, convection, radiation, sources and sensors"
  import Modelica.Thermal.HeatTransfer.*;
  Components.HeatCapacitor body1(C=15, T(start=373.15, fixed=true));
  Components.HeatCapacitor body2(C=15, T(start=273.15, fixed=true));
  Components.ThermalConductor conductor(G=10);
  Sensors.HeatFlowSensor heatFlow;
  Sensors.RelTemperatureSensor difference;
  Celsius.TemperatureSensor celsius;
  Sources.FixedHeatFlow heater(Q_flow=100);
  Components.HeatCapacitor wall(C=10, T(start=300, fixed=true));
  Components.Convection convection;
  Sources.FixedTemperature air(T=300);
  Components.ThermalResistor resistor(R=0.1);
  Components.ConvectiveResistor fluidResistor;
  Components.BodyRadiation radiation(Gr=1);
  Components.HeatCapacitor radiator(C=1, T(start=300, fixed=true));
  Sources.PrescribedHeatFlow input1;
  Sources.PrescribedTemperature space;
  Components.ThermalCollector collector(m=2);
  Fahrenheit.FixedTemperature boiling(T=212);
  Components.ThermalConductor toAir(G=1);
equation
  connect(body1.port, conductor.port_a);
  connect(conductor.port_b, heatFlow.port_a);
  connect(heatFlow.port_b, body2.port);
  connect(difference.port_a, body1.port);
  connect(difference.port_b, body2.port);
  connect(celsius.port, body1.port);
  connect(heater.port, wall.port);
  connect(wall.port, collector.port_a[1]);
  connect(collector.port_a[2], convection.solid);
  connect(collector.port_b, resistor.port_a);
  connect(resistor.port_b, fluidResistor.solid);
  connect(fluidResistor.fluid, air.port);
  connect(convection.fluid, air.port);
  convection.Gc = 5;
  fluidResistor.Rc = 0.1;
  connect(input1.port, radiator.port);
  connect(radiator.port, radiation.port_a);
  connect(radiation.port_b, space.port);
  space.T = 3;
  input1.Q_flow = Modelica.Constants.sigma*(350^4 - 3^4);
  connect(boiling.port, toAir.port_a);
  connect(toAir.port_b, air.port);
  when terminal() then
    assert(abs(body1.T - (323.15 + 50*exp(-20/15*time))) < 1e-4, "Exchange between two bodies");
    assert(abs(heatFlow.Q_flow - 10*difference.T_rel) < 1e-9, "Sensors agree");
    assert(abs(celsius.T - (body1.T - 273.15)) < 1e-9, "Celsius");
    // Conductances 5 and 1/(0.1 + 0.1) = 5 in parallel: 100 W raise the wall by 10 K.
    assert(abs(wall.T - 310) < 1e-4, "Wall in steady state");
    assert(abs(radiator.T - 350) < 1e-3, "Radiation in steady state");
    assert(abs(toAir.Q_flow - 73.15) < 1e-6, "212 degF are 373.15 K");
  end when;
  annotation(experiment(StopTime=20, Tolerance=1e-8));
end HeatTransfer;
