within Modelica.Thermal.HeatTransfer;
package Examples "Small models that run"

  model TwoMasses "Two bodies reach the same temperature"
    extends Modelica.Icons.Example;
    parameter Modelica.Units.SI.Temperature T_final_K(fixed=false) "Temperature at the end, from the heat balance";
    Components.HeatCapacitor mass1(C=15, T(start=373.15, fixed=true));
    Components.HeatCapacitor mass2(C=15, T(start=273.15, fixed=true));
    Components.ThermalConductor conduction(G=10);
    Celsius.TemperatureSensor Tsensor1;
    Celsius.TemperatureSensor Tsensor2;
  equation
    connect(mass1.port, conduction.port_a);
    connect(conduction.port_b, mass2.port);
    connect(mass1.port, Tsensor1.port);
    connect(mass2.port, Tsensor2.port);
  initial equation
    T_final_K = (mass1.T*mass1.C + mass2.T*mass2.C)/(mass1.C + mass2.C);
    annotation(experiment(StopTime=1.0, Interval=0.001));
  end TwoMasses;

  model ControlledTemperature "Heater with an on-off controller"
    extends Modelica.Icons.Example;
    parameter Modelica.Units.SI.Temperature TAmb(displayUnit="degC") = 293.15 "Ambient temperature";
    parameter Modelica.Units.SI.TemperatureDifference TDif = 2 "Width of the hysteresis";
    Components.HeatCapacitor room(C=1, T(start=298.15, fixed=true));
    Sources.FixedTemperature ambient(T=TAmb);
    Components.ThermalConductor wall(G=0.1*(1/2));
    Sources.PrescribedHeatFlow heater;
    Sensors.TemperatureSensor sensor;
    Modelica.Blocks.Sources.Ramp reference(height=25, duration=6, offset=298.15 - 5, startTime=2);
    Modelica.Blocks.Logical.OnOffController controller(bandwidth=TDif);
    Modelica.Blocks.Math.BooleanToReal power(realTrue=10, realFalse=0);
  equation
    connect(room.port, wall.port_a);
    connect(wall.port_b, ambient.port);
    connect(heater.port, room.port);
    connect(sensor.port, room.port);
    connect(reference.y, controller.reference);
    connect(sensor.T, controller.u);
    connect(controller.y, power.u);
    connect(power.y, heater.Q_flow);
    annotation(experiment(StopTime=10, Interval=0.001));
  end ControlledTemperature;
end Examples;
