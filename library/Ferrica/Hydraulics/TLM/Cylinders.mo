within Ferrica.Hydraulics.TLM;
package Cylinders "Cylinders"
  import Modelica.Units.SI;
  import Ferrica.Hydraulics.Oil;

  model DoubleActingCylinder "Cylinder of type C: two chambers as lines between port and piston"
    parameter SI.Length stroke(min=0) = 0.5 "Stroke";
    parameter SI.Position x_start = 0 "Position of the piston at the start, 0..stroke";
    parameter SI.Area A_A(min=0) = 1e-3 "Piston area on the side of port_A (extends)";
    parameter SI.Area A_B(min=0) = 5e-4 "Piston area on the side of port_B (retracts)";
    parameter SI.Volume V_dead(min=0) = 1e-4 "Dead volume of each chamber";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    parameter Real d(unit="N.s/m", min=0) = 0 "Viscous friction of the piston";
    parameter SI.Time T(min=0) = 1e-4 "Travelling time in a chamber";
    parameter SI.Pressure p_A_start = 0 "Pressure of chamber A before the start";
    parameter SI.Pressure p_B_start = 0 "Pressure of chamber B before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Interfaces.NodeC port_A "Chamber that extends the rod";
    Interfaces.NodeC port_B "Chamber that retracts the rod";
    Interfaces.RodC rod "Rod, to a mass";
    SI.Position x "Position of the piston: 0 is retracted";
    SI.Pressure p_A "Pressure on the piston, side A";
    SI.Pressure p_B "Pressure on the piston, side B";
  protected
    Real Z_A(unit="Pa.s/m3") "Impedance of chamber A";
    Real Z_B(unit="Pa.s/m3") "Impedance of chamber B";
    SI.Pressure c_A "Wave that arrives at the piston, side A";
    SI.Pressure c_B "Wave that arrives at the piston, side B";
  initial equation
    startTime = time;
  equation
    x = x_start - rod.x;
    Z_A = beta*T/(V_dead + A_A*noEvent(max(0, x)));
    Z_B = beta*T/(V_dead + A_B*noEvent(max(0, stroke - x)));
    // What the port sees of the piston's position has travelled too: port and rod are parts of their own.
    port_A.Zc = delay(Z_A, T);
    port_B.Zc = delay(Z_B, T);
    c_A = if time < startTime + T then p_A_start else delay(port_A.c + 2*port_A.Zc*port_A.q, T);
    c_B = if time < startTime + T then p_B_start else delay(port_B.c + 2*port_B.Zc*port_B.q, T);
    port_A.c = if time < startTime + T then p_A_start else delay(c_A + 2*Z_A*A_A*rod.v, T);
    port_B.c = if time < startTime + T then p_B_start else delay(c_B - 2*Z_B*A_B*rod.v, T);
    p_A = c_A + Z_A*A_A*rod.v;
    p_B = c_B - Z_B*A_B*rod.v;
    rod.c = A_A*c_A - A_B*c_B;
    rod.Zc = A_A^2*Z_A + A_B^2*Z_B + d;
  end DoubleActingCylinder;

  model SingleActingCylinder "Cylinder of type C: one chamber as a line between port and piston, with a return spring"
    parameter SI.Length stroke(min=0) = 0.5 "Stroke";
    parameter SI.Position x_start = 0 "Position of the piston at the start, 0..stroke";
    parameter SI.Area A(min=0) = 1e-3 "Piston area";
    parameter SI.Volume V_dead(min=0) = 1e-4 "Dead volume";
    parameter SI.BulkModulus beta = Oil.beta "Bulk modulus";
    parameter SI.TranslationalSpringConstant c(min=0) = 1e3 "Stiffness of the return spring";
    parameter SI.Force f_preload = 0 "Spring force of the retracted rod";
    parameter Real d(unit="N.s/m", min=0) = 0 "Viscous friction of the piston";
    parameter SI.Time T(min=0) = 1e-4 "Travelling time in the chamber";
    parameter SI.Pressure p_start = 0 "Pressure before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Interfaces.NodeC port "Chamber that extends the rod";
    Interfaces.RodC rod "Rod, to a mass";
    SI.Position x "Position of the piston: 0 is retracted";
    SI.Pressure p "Pressure on the piston";
  protected
    Real Z(unit="Pa.s/m3") "Impedance of the chamber";
    SI.Pressure c_piston "Wave that arrives at the piston";
  initial equation
    startTime = time;
  equation
    x = x_start - rod.x;
    Z = beta*T/(V_dead + A*noEvent(max(0, x)));
    // What the port sees of the piston's position has travelled too: port and rod are parts of their own.
    port.Zc = delay(Z, T);
    c_piston = if time < startTime + T then p_start else delay(port.c + 2*port.Zc*port.q, T);
    port.c = if time < startTime + T then p_start else delay(c_piston + 2*Z*A*rod.v, T);
    p = c_piston + Z*A*rod.v;
    rod.c = A*c_piston - c*x - f_preload;
    rod.Zc = A^2*Z + d;
  end SingleActingCylinder;
end Cylinders;
