within Ferrica.Hydraulics;
package Cylinders "Cylinders"
  import Modelica.Units.SI;

  partial model PartialCylinder "Piston, rod and end stops"
    parameter SI.Length stroke(min=0) = 0.5 "Stroke";
    parameter SI.Position x_start = 0 "Position of the piston at the start, 0..stroke";
    parameter Real d(unit="N.s/m", min=0) = 0 "Viscous friction of the piston";
    parameter SI.TranslationalSpringConstant c_stop(min=0) = 1e8 "Stiffness of the end stops";
    parameter Real d_stop(unit="N.s/m", min=0) = 1e5 "Damping of the end stops";
    Modelica.Mechanics.Translational.Interfaces.Flange_b flange "Rod";
    SI.Position x(start=x_start) "Position of the piston: 0 is retracted";
    SI.Velocity v "Velocity of the piston";
    SI.Force f_stop "Force of the end stops, positive outwards";
  protected
    SI.Force f_piston "Force of the fluid, positive outwards";
    SI.Length depth "Depth in a stop: negative at the inner, positive at the outer stop";
  equation
    flange.s = x;
    v = der(x);
    depth = noEvent(if x < 0 then x elseif x > stroke then x - stroke else 0);
    // A stop pushes only: its damping cannot exceed its spring force.
    f_stop = noEvent(if depth < 0 then max(0, -c_stop*depth - d_stop*v)
      elseif depth > 0 then min(0, -c_stop*depth - d_stop*v) else 0);
    flange.f = -(f_piston + f_stop - d*v);
  end PartialCylinder;

  model DoubleActingCylinder "Cylinder with two chambers"
    extends PartialCylinder;
    parameter SI.Area A_A(min=0) = 1e-3 "Piston area on the side of port_A (extends)";
    parameter SI.Area A_B(min=0) = 5e-4 "Piston area on the side of port_B (retracts)";
    parameter SI.Volume V_dead(min=0) = 1e-4 "Dead volume of each chamber";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    parameter Real G_leak(unit="m3/(s.Pa)", min=0) = 0 "Leakage past the piston";
    Interfaces.Port port_A "Chamber that extends the rod";
    Interfaces.Port port_B "Chamber that retracts the rod";
    SI.Pressure p_A(start=0, nominal=1e5) "Pressure of chamber A";
    SI.Pressure p_B(start=0, nominal=1e5) "Pressure of chamber B";
    SI.Volume V_A "Volume of chamber A";
    SI.Volume V_B "Volume of chamber B";
  equation
    port_A.p = p_A;
    port_B.p = p_B;
    V_A = V_dead + A_A*x;
    V_B = V_dead + A_B*(stroke - x);
    V_A/beta*der(p_A) = port_A.q - A_A*v - G_leak*(p_A - p_B);
    V_B/beta*der(p_B) = port_B.q + A_B*v + G_leak*(p_A - p_B);
    f_piston = A_A*p_A - A_B*p_B;
  end DoubleActingCylinder;

  model SingleActingCylinder "Cylinder with one chamber and a return spring"
    extends PartialCylinder;
    parameter SI.Area A(min=0) = 1e-3 "Piston area";
    parameter SI.Volume V_dead(min=0) = 1e-4 "Dead volume";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    parameter SI.TranslationalSpringConstant c(min=0) = 1e3 "Stiffness of the return spring";
    parameter SI.Force f_preload = 0 "Spring force of the retracted rod";
    Interfaces.Port port "Chamber that extends the rod";
    SI.Pressure p(start=0, nominal=1e5) "Pressure";
    SI.Volume V "Volume of the chamber";
  equation
    port.p = p;
    V = V_dead + A*x;
    V/beta*der(p) = port.q - A*v;
    f_piston = A*p - c*x - f_preload;
  end SingleActingCylinder;

  model Piston "Ideal piston: pressure times area, no compressibility"
    parameter SI.Area A(min=0) = 1e-3 "Piston area";
    Interfaces.Port port "Port";
    Modelica.Mechanics.Translational.Interfaces.Flange_b flange "Rod";
  equation
    port.q = A*der(flange.s);
    flange.f = -A*port.p;
  end Piston;
end Cylinders;
