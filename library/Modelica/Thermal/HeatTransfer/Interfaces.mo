within Modelica.Thermal.HeatTransfer;
package Interfaces "Heat ports and the equations that several components share"
  import Modelica.Units.SI;

  partial connector HeatPort "Thermal port"
    SI.Temperature T "Temperature";
    flow SI.HeatFlowRate Q_flow "Heat flow into the component";
  end HeatPort;

  connector HeatPort_a "Thermal port, first side"
    extends HeatPort;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={191,0,0}, fillColor={191,0,0}, fillPattern=FillPattern.Solid)}));
  end HeatPort_a;

  connector HeatPort_b "Thermal port, second side"
    extends HeatPort;
    annotation(Icon(graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={191,0,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  end HeatPort_b;

  partial model Element1D "Two heat ports, no storage"
    HeatPort_a port_a "First side"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    HeatPort_b port_b "Second side"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    SI.HeatFlowRate Q_flow "Heat flow from port_a to port_b";
    SI.TemperatureDifference dT "Temperature drop from port_a to port_b";
  equation
    dT = port_a.T - port_b.T;
    Q_flow = port_a.Q_flow;
    port_a.Q_flow + port_b.Q_flow = 0;
  end Element1D;

  partial model PartialConditionalHeatPort "Optional heat port for losses, to be filled by connecting components"
    parameter Boolean useHeatPort = false "true: losses leave by heatPort"
      annotation(Evaluate=true, HideResult=true);
    parameter SI.Temperature T = 293.15 "Temperature of the device without heatPort";
    HeatPort_a heatPort if useHeatPort "Takes up the losses"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    Modelica.Thermal.HeatTransfer.Sources.FixedTemperature fixedTemperature(final T=T) if not useHeatPort
      "Takes up the losses without heatPort";
  protected
    HeatPort_a internalHeatPort "Always present";
  equation
    connect(internalHeatPort, heatPort);
    connect(internalHeatPort, fixedTemperature.port);
  end PartialConditionalHeatPort;

  partial model PartialElementaryConditionalHeatPort "Optional heat port for losses, for components written as equations"
    parameter Boolean useHeatPort = false "true: losses leave by heatPort"
      annotation(Evaluate=true, HideResult=true);
    parameter SI.Temperature T = 293.15 "Temperature of the device without heatPort";
    HeatPort_a heatPort(final T=TheatPort, final Q_flow=-lossPower) if useHeatPort "Takes up the losses"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    SI.Power lossPower "Losses";
    SI.Temperature TheatPort "Temperature of the device";
  equation
    if not useHeatPort then
      TheatPort = T;
    end if;
  end PartialElementaryConditionalHeatPort;

  partial model PartialElementaryConditionalHeatPortWithoutT
    "Optional heat port for losses that do not depend on temperature"
    parameter Boolean useHeatPort = false "true: losses leave by heatPort"
      annotation(Evaluate=true, HideResult=true);
    HeatPort_a heatPort(final Q_flow=-lossPower) if useHeatPort "Takes up the losses"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    SI.Power lossPower "Losses";
  end PartialElementaryConditionalHeatPortWithoutT;
end Interfaces;
