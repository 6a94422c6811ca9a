within Ferrica.Hydraulics;
package Sensors "Ideal sensors"
  import Modelica.Units.SI;

  model PressureSensor "Pressure"
    Interfaces.Port port "Port";
    Modelica.Blocks.Interfaces.RealOutput p(unit="Pa") "Pressure";
  equation
    p = port.p;
    port.q = 0;
  end PressureSensor;

  model RelPressureSensor "Pressure difference"
    Interfaces.Port port_a "First port";
    Interfaces.Port port_b "Second port";
    Modelica.Blocks.Interfaces.RealOutput dp(unit="Pa") "port_a.p - port_b.p";
  equation
    dp = port_a.p - port_b.p;
    port_a.q = 0;
    port_b.q = 0;
  end RelPressureSensor;

  model FlowSensor "Flow"
    Interfaces.Port port_a "Inlet";
    Interfaces.Port port_b "Outlet";
    Modelica.Blocks.Interfaces.RealOutput q(unit="m3/s") "Flow from port_a to port_b";
  equation
    port_a.p = port_b.p;
    port_a.q + port_b.q = 0;
    q = port_a.q;
  end FlowSensor;

  model PowerSensor "Hydraulic power"
    Interfaces.Port port_a "Inlet";
    Interfaces.Port port_b "Outlet";
    Modelica.Blocks.Interfaces.RealOutput power(unit="W") "Power from port_a to port_b";
  equation
    port_a.p = port_b.p;
    port_a.q + port_b.q = 0;
    power = port_a.p*port_a.q;
  end PowerSensor;
end Sensors;
