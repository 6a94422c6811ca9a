within Ferrica.Hydraulics;
package Volumes "Components that store fluid"
  import Modelica.Units.SI;

  model Volume "Rigid volume of compressible fluid"
    parameter SI.Volume V(min=0) = 1e-3 "Volume";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    Interfaces.Port port "Port";
    SI.Pressure p(start=0, nominal=1e5) "Pressure";
  equation
    port.p = p;
    V/beta*der(p) = port.q;
  end Volume;

  model Line "Pipe without loss, in n lumped sections"
    extends PartialLine;
  equation
    dp_loss = zeros(n);
  end Line;

  model LossyLine "Pipe with laminar or turbulent loss, in n lumped sections"
    extends PartialLine;
    parameter SI.DynamicViscosity mu = Oil.mu "Viscosity";
    parameter Real lambda(min=0) = 0 "Turbulent friction factor; 0: laminar loss only";
  equation
    for i in 1:n loop
      dp_loss[i] = 128*mu*L/n/(Modelica.Constants.pi*D^4)*q[i]
        + lambda*L/n/D*rho/2*q[i]*noEvent(abs(q[i]))/A^2;
    end for;
  end LossyLine;

  partial model PartialLine "Sections of a pipe: half a volume, inertance, half a volume"
    parameter Integer n(min=1) = 5 "Number of sections";
    parameter SI.Length L = 1 "Length";
    parameter SI.Diameter D = 0.01 "Inner diameter";
    parameter SI.Density rho = Oil.rho "Density";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    Interfaces.Port port_a "One end";
    Interfaces.Port port_b "Other end";
    SI.Pressure p[n + 1](each start=0, each nominal=1e5) "Pressures, end to end";
    SI.VolumeFlowRate q[n](each start=0, each nominal=1e-4) "Flows from port_a to port_b";
  protected
    parameter SI.Area A = Modelica.Constants.pi*D^2/4 "Cross section";
    SI.Pressure dp_loss[n] "Friction loss of each section";
  equation
    port_a.p = p[1];
    port_b.p = p[n + 1];
    A*L/(2*n)/beta*der(p[1]) = port_a.q - q[1];
    for i in 2:n loop
      A*L/n/beta*der(p[i]) = q[i - 1] - q[i];
    end for;
    A*L/(2*n)/beta*der(p[n + 1]) = q[n] + port_b.q;
    for i in 1:n loop
      rho*L/(n*A)*der(q[i]) = p[i] - p[i + 1] - dp_loss[i];
    end for;
  end PartialLine;

  model Hose "Hose: its wall gives way to pressure"
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
    parameter SI.Pressure dp_lam(min=0) = 100 "Below this pressure drop the flow is laminar";
    Interfaces.Port port "Port";
    SI.Volume V_oil(start=0, fixed=true, nominal=1e-3) "Fluid taken in";
    SI.Pressure p_gas "Pressure of the gas";
    SI.Pressure dp "Pressure drop over the inlet";
  equation
    (p_gas + p_ambient)*noEvent(max(0.01, 1 - V_oil/V0))^n = p0 + p_ambient;
    dp = port.p - p_gas;
    // An empty accumulator gives nothing: its bladder shuts the inlet for the last of the fluid.
    port.q = q_nom/sqrt(dp_nom)*dp/(dp^2 + dp_lam^2)^0.25
      *noEvent(if dp >= 0 then 1 else max(0, min(1, V_oil/(1e-4*V0))));
    der(V_oil) = port.q;
  end Accumulator;
end Volumes;
