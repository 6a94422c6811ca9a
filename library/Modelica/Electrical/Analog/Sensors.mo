within Modelica.Electrical.Analog;
package Sensors "Ideal measurement of potential, voltage, current and power"
  model PotentialSensor "Potential of a pin"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin p "Pin";
    Modelica.Blocks.Interfaces.RealOutput phi(unit="V") "Potential";
  equation
    p.i = 0;
    phi = p.v;
  end PotentialSensor;

  model VoltageSensor "Voltage between two pins"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin p "Positive pin";
    Interfaces.NegativePin n "Negative pin";
    Modelica.Blocks.Interfaces.RealOutput v(unit="V") "Voltage from p to n";
  equation
    p.i = 0;
    n.i = 0;
    v = p.v - n.v;
  end VoltageSensor;

  model CurrentSensor "Current through a branch"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin p "Positive pin";
    Interfaces.NegativePin n "Negative pin";
    Modelica.Blocks.Interfaces.RealOutput i(unit="A") "Current from p to n";
  equation
    p.v = n.v;
    p.i = i;
    n.i = -i;
  end CurrentSensor;

  model PowerSensor "Power from a current path and a voltage path"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin pc "Positive pin of the current path";
    Interfaces.NegativePin nc "Negative pin of the current path";
    Interfaces.PositivePin pv "Positive pin of the voltage path";
    Interfaces.NegativePin nv "Negative pin of the voltage path";
    Modelica.Blocks.Interfaces.RealOutput power(unit="W") "Power";
    VoltageSensor voltageSensor "Voltage path";
    CurrentSensor currentSensor "Current path";
  equation
    connect(pv, voltageSensor.p);
    connect(voltageSensor.n, nv);
    connect(pc, currentSensor.p);
    connect(currentSensor.n, nc);
    power = voltageSensor.v*currentSensor.i;
  end PowerSensor;

  model MultiSensor "Current, voltage and power"
    extends Modelica.Icons.RoundSensor;
    Interfaces.PositivePin pc "Positive pin of the current path";
    Interfaces.NegativePin nc "Negative pin of the current path";
    Interfaces.PositivePin pv "Positive pin of the voltage path";
    Interfaces.NegativePin nv "Negative pin of the voltage path";
    Modelica.Blocks.Interfaces.RealOutput i(final quantity="ElectricCurrent", final unit="A") "Current";
    Modelica.Blocks.Interfaces.RealOutput v(final quantity="ElectricPotential", final unit="V") "Voltage";
    Modelica.Blocks.Interfaces.RealOutput power(final quantity="Power", final unit="W") "Power";
  equation
    pc.v = nc.v;
    pc.i = i;
    nc.i = -i;
    pv.i = 0;
    nv.i = 0;
    v = pv.v - nv.v;
    power = v*i;
  end MultiSensor;
end Sensors;
