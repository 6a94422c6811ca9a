within Modelica.Thermal.HeatTransfer;
package Celsius "Sources, sensors and conversions in degrees Celsius"

  model FixedTemperature "Constant temperature in degrees Celsius"
    parameter Modelica.Units.NonSI.Temperature_degC T "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = Modelica.Units.Conversions.from_degC(T);
  end FixedTemperature;

  model PrescribedTemperature "Temperature in degrees Celsius from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="degC") "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = Modelica.Units.Conversions.from_degC(T);
  end PrescribedTemperature;

  model TemperatureSensor "Temperature in degrees Celsius"
    Modelica.Blocks.Interfaces.RealOutput T(unit="degC") "Temperature";
    Interfaces.HeatPort_a port "Heat port";
  equation
    T = Modelica.Units.Conversions.to_degC(port.T);
    port.Q_flow = 0;
  end TemperatureSensor;

  model ToKelvin "From degrees Celsius to kelvin"
    Modelica.Blocks.Interfaces.RealInput Celsius(unit="degC") "Temperature in degrees Celsius";
    Modelica.Blocks.Interfaces.RealOutput Kelvin(unit="K") "Temperature in kelvin";
  equation
    Kelvin = Modelica.Units.Conversions.from_degC(Celsius);
  end ToKelvin;

  model FromKelvin "From kelvin to degrees Celsius"
    Modelica.Blocks.Interfaces.RealInput Kelvin(unit="K") "Temperature in kelvin";
    Modelica.Blocks.Interfaces.RealOutput Celsius(unit="degC") "Temperature in degrees Celsius";
  equation
    Celsius = Modelica.Units.Conversions.to_degC(Kelvin);
  end FromKelvin;
end Celsius;
