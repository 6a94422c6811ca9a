within Modelica.Thermal.HeatTransfer;
package Fahrenheit "Sources, sensors and conversions in degrees Fahrenheit"

  model FixedTemperature "Constant temperature in degrees Fahrenheit"
    parameter Modelica.Units.NonSI.Temperature_degF T "Temperature";
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = Modelica.Units.Conversions.from_degF(T);
  end FixedTemperature;

  model PrescribedTemperature "Temperature in degrees Fahrenheit from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="degF") "Temperature"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = Modelica.Units.Conversions.from_degF(T);
  end PrescribedTemperature;

  model TemperatureSensor "Temperature in degrees Fahrenheit"
    Modelica.Blocks.Interfaces.RealOutput T(unit="degF") "Temperature"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Interfaces.HeatPort_a port "Heat port"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    T = Modelica.Units.Conversions.to_degF(port.T);
    port.Q_flow = 0;
  end TemperatureSensor;

  model ToKelvin "From degrees Fahrenheit to kelvin"
    Modelica.Blocks.Interfaces.RealInput Fahrenheit(unit="degF") "Temperature in degrees Fahrenheit"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput Kelvin(unit="K") "Temperature in kelvin"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    Kelvin = Modelica.Units.Conversions.from_degF(Fahrenheit);
  end ToKelvin;

  model FromKelvin "From kelvin to degrees Fahrenheit"
    Modelica.Blocks.Interfaces.RealInput Kelvin(unit="K") "Temperature in kelvin"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput Fahrenheit(unit="degF") "Temperature in degrees Fahrenheit"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    Fahrenheit = Modelica.Units.Conversions.to_degF(Kelvin);
  end FromKelvin;
end Fahrenheit;
