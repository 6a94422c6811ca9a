within Modelica.Thermal.HeatTransfer;
package Fahrenheit "Sources, sensors and conversions in degrees Fahrenheit"

  model FixedTemperature "Constant temperature in degrees Fahrenheit"
    parameter Modelica.Units.NonSI.Temperature_degF T "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = Modelica.Units.Conversions.from_degF(T);
  end FixedTemperature;

  model PrescribedTemperature "Temperature in degrees Fahrenheit from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="degF") "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = Modelica.Units.Conversions.from_degF(T);
  end PrescribedTemperature;

  model TemperatureSensor "Temperature in degrees Fahrenheit"
    Modelica.Blocks.Interfaces.RealOutput T(unit="degF") "Temperature";
    Interfaces.HeatPort_a port "Heat port";
  equation
    T = Modelica.Units.Conversions.to_degF(port.T);
    port.Q_flow = 0;
  end TemperatureSensor;

  model ToKelvin "From degrees Fahrenheit to kelvin"
    Modelica.Blocks.Interfaces.RealInput Fahrenheit(unit="degF") "Temperature in degrees Fahrenheit";
    Modelica.Blocks.Interfaces.RealOutput Kelvin(unit="K") "Temperature in kelvin";
  equation
    Kelvin = Modelica.Units.Conversions.from_degF(Fahrenheit);
  end ToKelvin;

  model FromKelvin "From kelvin to degrees Fahrenheit"
    Modelica.Blocks.Interfaces.RealInput Kelvin(unit="K") "Temperature in kelvin";
    Modelica.Blocks.Interfaces.RealOutput Fahrenheit(unit="degF") "Temperature in degrees Fahrenheit";
  equation
    Fahrenheit = Modelica.Units.Conversions.to_degF(Kelvin);
  end FromKelvin;
end Fahrenheit;
