within Modelica.Thermal.HeatTransfer;
package Celsius "Sources, sensors and conversions in degrees Celsius"

  model FixedTemperature "Constant temperature in degrees Celsius"
    parameter Modelica.Units.NonSI.Temperature_degC T "Temperature";
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = Modelica.Units.Conversions.from_degC(T);
  end FixedTemperature;

  model PrescribedTemperature "Temperature in degrees Celsius from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="degC") "Temperature"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = Modelica.Units.Conversions.from_degC(T);
  end PrescribedTemperature;

  model TemperatureSensor "Temperature in degrees Celsius"
    Modelica.Blocks.Interfaces.RealOutput T(unit="degC") "Temperature"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Interfaces.HeatPort_a port "Heat port"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    T = Modelica.Units.Conversions.to_degC(port.T);
    port.Q_flow = 0;
  end TemperatureSensor;

  model ToKelvin "From degrees Celsius to kelvin"
    Modelica.Blocks.Interfaces.RealInput Celsius(unit="degC") "Temperature in degrees Celsius"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput Kelvin(unit="K") "Temperature in kelvin"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    Kelvin = Modelica.Units.Conversions.from_degC(Celsius);
  end ToKelvin;

  model FromKelvin "From kelvin to degrees Celsius"
    Modelica.Blocks.Interfaces.RealInput Kelvin(unit="K") "Temperature in kelvin"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput Celsius(unit="degC") "Temperature in degrees Celsius"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    Celsius = Modelica.Units.Conversions.to_degC(Kelvin);
  end FromKelvin;
end Celsius;
