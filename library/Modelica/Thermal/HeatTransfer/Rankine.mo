within Modelica.Thermal.HeatTransfer;
package Rankine "Sources, sensors and conversions in degrees Rankine"

  model FixedTemperature "Constant temperature in degrees Rankine"
    parameter Modelica.Units.NonSI.Temperature_degRk T "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = Modelica.Units.Conversions.from_degRk(T);
  end FixedTemperature;

  model PrescribedTemperature "Temperature in degrees Rankine from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="degRk") "Temperature";
    Interfaces.HeatPort_b port "Heat port";
  equation
    port.T = Modelica.Units.Conversions.from_degRk(T);
  end PrescribedTemperature;

  model TemperatureSensor "Temperature in degrees Rankine"
    Modelica.Blocks.Interfaces.RealOutput T(unit="degRk") "Temperature";
    Interfaces.HeatPort_a port "Heat port";
  equation
    T = Modelica.Units.Conversions.to_degRk(port.T);
    port.Q_flow = 0;
  end TemperatureSensor;

  model ToKelvin "From degrees Rankine to kelvin"
    Modelica.Blocks.Interfaces.RealInput Rankine(unit="degRk") "Temperature in degrees Rankine";
    Modelica.Blocks.Interfaces.RealOutput Kelvin(unit="K") "Temperature in kelvin";
  equation
    Kelvin = Modelica.Units.Conversions.from_degRk(Rankine);
  end ToKelvin;

  model FromKelvin "From kelvin to degrees Rankine"
    Modelica.Blocks.Interfaces.RealInput Kelvin(unit="K") "Temperature in kelvin";
    Modelica.Blocks.Interfaces.RealOutput Rankine(unit="degRk") "Temperature in degrees Rankine";
  equation
    Rankine = Modelica.Units.Conversions.to_degRk(Kelvin);
  end FromKelvin;
end Rankine;
