within Ferrica.Hydraulics.TLM;
package Sources "Prescribed pressures and flows"
  import Modelica.Units.SI;

  model Tank "Tank at pressure zero"
    Interfaces.NodeC port "Port";
  equation
    port.c = 0;
    port.Zc = 0;
  end Tank;

  model PressureSource "Constant pressure"
    parameter SI.Pressure p = 1e5 "Pressure";
    Interfaces.NodeC port "Port";
  equation
    port.c = p;
    port.Zc = 0;
  end PressureSource;

  model PrescribedPressure "Pressure from a signal"
    Modelica.Blocks.Interfaces.RealInput p(unit="Pa") "Pressure";
    Interfaces.NodeC port "Port";
  equation
    port.c = p;
    port.Zc = 0;
  end PrescribedPressure;

  model FlowSource "Constant flow"
    parameter SI.VolumeFlowRate q = 1e-4 "Flow";
    Interfaces.NodeQ port "Port";
  equation
    port.q = q;
    port.p = port.c + port.Zc*port.q;
  end FlowSource;

  model PrescribedFlow "Flow from a signal"
    Modelica.Blocks.Interfaces.RealInput q(unit="m3/s") "Flow";
    Interfaces.NodeQ port "Port";
  equation
    port.q = q;
    port.p = port.c + port.Zc*port.q;
  end PrescribedFlow;

  model Plug "Closed port"
    Interfaces.NodeQ port "Port";
  equation
    port.q = 0;
    port.p = port.c;
  end Plug;
end Sources;
