within Ferrica.Hydraulics.TLM;
package Sensors "Ideal sensors, put between a Q and a C component"

  model Sensor "Pressure, flow and power at a port"
    Interfaces.NodeC port_a "To the Q component";
    Interfaces.NodeQ port_b "To the C component";
    Modelica.Blocks.Interfaces.RealOutput p(unit="Pa") "Pressure";
    Modelica.Blocks.Interfaces.RealOutput q(unit="m3/s") "Flow from port_a to port_b";
    Modelica.Blocks.Interfaces.RealOutput power(unit="W") "Power from port_a to port_b";
  equation
    port_a.c = port_b.c;
    port_a.Zc = port_b.Zc;
    port_b.p = port_a.p;
    port_b.q = port_a.q;
    p = port_a.p;
    q = port_a.q;
    power = p*q;
  end Sensor;

  model RodSensor "Position, velocity and force at a translational port"
    Interfaces.RodC port_a "To the Q component";
    Interfaces.RodQ port_b "To the C component";
    Modelica.Blocks.Interfaces.RealOutput x(unit="m") "Travel";
    Modelica.Blocks.Interfaces.RealOutput v(unit="m/s") "Velocity";
    Modelica.Blocks.Interfaces.RealOutput f(unit="N") "Compression";
  equation
    port_a.c = port_b.c;
    port_a.Zc = port_b.Zc;
    port_b.f = port_a.f;
    port_b.v = port_a.v;
    port_b.x = port_a.x;
    x = port_a.x;
    v = port_a.v;
    f = port_a.f;
  end RodSensor;
end Sensors;
