within Ferrica.Hydraulics;
package Sources "Prescribed pressures and flows"
  import Modelica.Units.SI;

  model Tank "Tank at pressure zero"
    Interfaces.Port port "Port";
  equation
    port.p = 0;
  end Tank;

  model PressureSource "Constant pressure"
    parameter SI.Pressure p = 1e5 "Pressure";
    Interfaces.Port port "Port";
  equation
    port.p = p;
  end PressureSource;

  model PrescribedPressure "Pressure from a signal"
    Modelica.Blocks.Interfaces.RealInput p(unit="Pa") "Pressure";
    Interfaces.Port port "Port";
  equation
    port.p = p;
  end PrescribedPressure;

  model FlowSource "Constant flow"
    parameter SI.VolumeFlowRate q = 1e-4 "Flow out of the port";
    Interfaces.Port port "Port";
  equation
    port.q = -q;
  end FlowSource;

  model PrescribedFlow "Flow from a signal"
    Modelica.Blocks.Interfaces.RealInput q(unit="m3/s") "Flow out of the port";
    Interfaces.Port port "Port";
  equation
    port.q = -q;
  end PrescribedFlow;

  model Plug "Closed port"
    Interfaces.Port port "Port";
  equation
    port.q = 0;
  end Plug;
end Sources;
