within Modelica.Thermal.HeatTransfer;
package Rankine "Sources, sensors and conversions in degrees Rankine"

  model FixedTemperature "Constant temperature in degrees Rankine"
    parameter Modelica.Units.NonSI.Temperature_degRk T "Temperature";
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = Modelica.Units.Conversions.from_degRk(T);
  end FixedTemperature;

  model PrescribedTemperature "Temperature in degrees Rankine from a signal"
    Modelica.Blocks.Interfaces.RealInput T(unit="degRk") "Temperature"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.HeatPort_b port "Heat port"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    port.T = Modelica.Units.Conversions.from_degRk(T);
  end PrescribedTemperature;

  model TemperatureSensor "Temperature in degrees Rankine"
    Modelica.Blocks.Interfaces.RealOutput T(unit="degRk") "Temperature"
      annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
    Interfaces.HeatPort_a port "Heat port"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    T = Modelica.Units.Conversions.to_degRk(port.T);
    port.Q_flow = 0;
  end TemperatureSensor;

  model ToKelvin "From degrees Rankine to kelvin"
    Modelica.Blocks.Interfaces.RealInput Rankine(unit="degRk") "Temperature in degrees Rankine"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput Kelvin(unit="K") "Temperature in kelvin"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    Kelvin = Modelica.Units.Conversions.from_degRk(Rankine);
  end ToKelvin;

  model FromKelvin "From kelvin to degrees Rankine"
    Modelica.Blocks.Interfaces.RealInput Kelvin(unit="K") "Temperature in kelvin"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Modelica.Blocks.Interfaces.RealOutput Rankine(unit="degRk") "Temperature in degrees Rankine"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    Rankine = Modelica.Units.Conversions.to_degRk(Kelvin);
  end FromKelvin;
end Rankine;
