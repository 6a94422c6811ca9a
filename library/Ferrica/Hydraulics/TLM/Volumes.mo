within Ferrica.Hydraulics.TLM;
package Volumes "Components that store fluid"
  import Modelica.Units.SI;
  import Ferrica.Hydraulics.Oil;

  model Volume "Volume with two ports, as a line: Zc = beta T/V"
    extends Interfaces.LineC(final Z=beta*T/V);
    parameter SI.Volume V(min=0) = 1e-3 "Volume";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
  end Volume;

  model MultiVolume "Volume with n ports: lines that meet in one point"
    parameter Integer n(min=2) = 3 "Number of ports";
    parameter SI.Volume V(min=0) = 1e-3 "Volume";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    parameter SI.Time T(min=0) = 1e-4 "Travelling time from port to port";
    parameter SI.Pressure p_start = 0 "Pressure before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Interfaces.NodeC port[n] "Ports";
    SI.Pressure p "Pressure of the meeting point";
  protected
    parameter Real Z(unit="Pa.s/m3") = n*beta*T/(2*V) "Impedance of each port";
    SI.Pressure w[n] "Waves that arrive at the meeting point";
  initial equation
    startTime = time;
  equation
    p = sum(w)/n;
    for i in 1:n loop
      w[i] = if time < startTime + T then p_start else delay(port[i].c + 2*Z*port[i].q, T);
      port[i].c = 2*p - w[i];
      port[i].Zc = Z;
    end for;
  end MultiVolume;

  model Line "Pipe without loss"
    extends Interfaces.LineC(
      final T=L/sqrt(beta/rho),
      final Z=4*sqrt(beta*rho)/(Modelica.Constants.pi*D^2));
    parameter SI.Length L = 1 "Length";
    parameter SI.Diameter D = 0.01 "Inner diameter";
    parameter SI.Density rho = Oil.rho "Density";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
  end Line;

  model LossyLine "Pipe with laminar loss, half of it at each end"
    extends Interfaces.LineC(
      final T=L/sqrt(beta/rho),
      final Z=4*sqrt(beta*rho)/(Modelica.Constants.pi*D^2),
      final R=128*mu*L/(Modelica.Constants.pi*D^4));
    parameter SI.Length L = 1 "Length";
    parameter SI.Diameter D = 0.01 "Inner diameter";
    parameter SI.Density rho = Oil.rho "Density";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    parameter SI.DynamicViscosity mu = Oil.mu "Viscosity";
  end LossyLine;

  model Hose "Hose: its wall gives way to pressure, which lowers the speed of sound"
    extends LossyLine(final beta=1/(1/beta_oil + D/(wall*E)));
    parameter SI.BulkModulus beta_oil = Oil.beta "Bulk modulus of the fluid";
    parameter SI.Length wall = 4e-3 "Thickness of the wall";
    parameter SI.ModulusOfElasticity E = 1e9 "Modulus of elasticity of the wall, circumferential";
  end Hose;

  model Accumulator "Gas accumulator behind its inlet restriction"
    parameter SI.Volume V0 = 1e-3 "Gas volume at precharge";
    parameter SI.Pressure p0 = 5e6 "Precharge pressure, relative to the tank";
    parameter Real n(min=1) = 1.4 "Polytropic exponent";
    parameter SI.Pressure p_ambient = 1.01325e5 "Ambient pressure";
    parameter SI.VolumeFlowRate q_nom = 1e-3 "Flow through the inlet at dp_nom";
    parameter SI.Pressure dp_nom = 1e5 "Pressure drop at which q_nom was measured";
    Interfaces.NodeQ port "Port";
    SI.Volume V_oil(start=0, fixed=true, nominal=1e-3) "Fluid taken in";
    SI.Pressure p_gas "Pressure of the gas";
    Interfaces.TurbulentFlow inlet(dc=port.c - p_gas, Z=port.Zc, K=K_inlet) "Inlet";
  protected
    Real K_inlet(unit="m3/(s.Pa0.5)") "Flow coefficient of the inlet; it shuts for the last of the fluid";
  equation
    (p_gas + p_ambient)*noEvent(max(0.01, 1 - V_oil/V0))^n = p0 + p_ambient;
    K_inlet = q_nom/sqrt(dp_nom)*noEvent(if port.c >= p_gas then 1 else max(0, min(1, V_oil/(1e-4*V0))));
    port.q = -inlet.q;
    port.p = port.c + port.Zc*port.q;
    der(V_oil) = inlet.q;
  end Accumulator;
end Volumes;
