within Ferrica.Hydraulics.TLM;
package Mechanics "Masses, springs, shafts and gears with wave ports"
  import Modelica.Units.SI;

  model Mass "Mass of type Q with friction and end stops"
    parameter SI.Mass m(min=0) = 1 "Mass";
    parameter Real d(unit="N.s/m", min=0) = 0 "Viscous friction";
    parameter SI.Force f_coulomb(min=0) = 0 "Dry friction";
    parameter SI.Velocity v_small = 1e-3 "Velocity at which 76 % of the dry friction acts";
    parameter SI.Position x_min = -1e30 "Left stop";
    parameter SI.Position x_max = 1e30 "Right stop";
    Interfaces.RodQ port_a "Left side";
    Interfaces.RodQ port_b "Right side";
    SI.Position x(start=0, fixed=true) "Position, to the right";
    SI.Velocity v(start=0, fixed=true) "Velocity, to the right";
    SI.Force push "Force on the mass, without the stop's";
    discrete Integer stopped(start=0, fixed=true) "-1: at the left stop, +1: at the right stop, 0: between";
  protected
    SI.Force release "Force away from the stop; constant between the stops, where it must not cause events";
  equation
    port_a.x = -x;
    port_a.v = -v;
    port_a.f = port_a.c + port_a.Zc*port_a.v;
    port_b.x = x;
    port_b.v = v;
    port_b.f = port_b.c + port_b.Zc*port_b.v;
    push = port_a.f - port_b.f - d*v - f_coulomb*tanh(v/v_small);
    der(x) = v;
    der(v) = if stopped <> 0 then 0 else push/m;
    when x < x_min then
      stopped = -1;
      reinit(x, x_min);
      reinit(v, 0);
    elsewhen x > x_max then
      stopped = 1;
      reinit(x, x_max);
      reinit(v, 0);
    elsewhen release > 0 then
      stopped = 0;
    end when;
    release = if pre(stopped) == 0 then -1 else -pre(stopped)*push;
  end Mass;

  model Spring "Spring of type C: Zc = k T"
    parameter SI.TranslationalSpringConstant k(min=0) = 1e6 "Stiffness";
    parameter SI.Time T(min=0) = 1e-4 "Travelling time from end to end";
    parameter SI.Force f_start = 0 "Compression before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Interfaces.RodC port_a "Left side";
    Interfaces.RodC port_b "Right side";
  initial equation
    startTime = time;
  equation
    port_a.Zc = k*T;
    port_b.Zc = k*T;
    port_a.c = if time < startTime + T then f_start else delay(port_b.c + 2*k*T*port_b.v, T);
    port_b.c = if time < startTime + T then f_start else delay(port_a.c + 2*k*T*port_a.v, T);
  end Spring;

  model ForceSource "Force from a signal"
    Interfaces.RodC port "Port";
    Modelica.Blocks.Interfaces.RealInput f(unit="N") "Compression";
  equation
    port.c = f;
    port.Zc = 0;
  end ForceSource;

  model FreeEnd "No force"
    Interfaces.RodC port "Port";
  equation
    port.c = 0;
    port.Zc = 0;
  end FreeEnd;

  model Wall "No motion"
    Interfaces.RodQ port "Port";
  equation
    port.v = 0;
    port.x = 0;
    port.f = port.c;
  end Wall;

  model Lever "Lever between a C component at port_a and a Q component at port_b"
    parameter Real ratio = 1 "Velocity at port_a over velocity at port_b";
    Interfaces.RodQ port_a "To a C component";
    Interfaces.RodC port_b "To a Q component";
  equation
    port_a.v = ratio*port_b.v;
    port_a.x = ratio*port_b.x;
    port_a.f = port_a.c + port_a.Zc*port_a.v;
    port_b.c = ratio*port_a.c;
    port_b.Zc = ratio^2*port_a.Zc;
  end Lever;

  model Inertia "Inertia of type Q with friction"
    parameter SI.Inertia J(min=0) = 1e-2 "Moment of inertia";
    parameter Real d(unit="N.m.s/rad", min=0) = 0 "Viscous friction";
    parameter SI.Torque tau_coulomb(min=0) = 0 "Dry friction";
    parameter SI.AngularVelocity w_small = 1e-2 "Speed at which 76 % of the dry friction acts";
    Interfaces.ShaftQ port_a "Left side";
    Interfaces.ShaftQ port_b "Right side";
    SI.Angle phi(start=0, fixed=true) "Angle";
    SI.AngularVelocity w(start=0, fixed=true) "Speed";
  equation
    port_a.phi = -phi;
    port_a.w = -w;
    port_a.tau = port_a.c + port_a.Zc*port_a.w;
    port_b.phi = phi;
    port_b.w = w;
    port_b.tau = port_b.c + port_b.Zc*port_b.w;
    der(phi) = w;
    J*der(w) = port_a.tau - port_b.tau - d*w - tau_coulomb*tanh(w/w_small);
  end Inertia;

  model Shaft "Elastic shaft of type C: Zc = k T"
    parameter SI.RotationalSpringConstant k(min=0) = 1e5 "Stiffness";
    parameter SI.Time T(min=0) = 1e-4 "Travelling time from end to end";
    parameter SI.Torque tau_start = 0 "Torque before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Interfaces.ShaftC port_a "Left side";
    Interfaces.ShaftC port_b "Right side";
  initial equation
    startTime = time;
  equation
    port_a.Zc = k*T;
    port_b.Zc = k*T;
    port_a.c = if time < startTime + T then tau_start else delay(port_b.c + 2*k*T*port_b.w, T);
    port_b.c = if time < startTime + T then tau_start else delay(port_a.c + 2*k*T*port_a.w, T);
  end Shaft;

  model TorqueSource "Torque from a signal"
    Interfaces.ShaftC port "Port";
    Modelica.Blocks.Interfaces.RealInput tau(unit="N.m") "Torque";
  equation
    port.c = tau;
    port.Zc = 0;
  end TorqueSource;

  model FreeShaft "No torque"
    Interfaces.ShaftC port "Port";
  equation
    port.c = 0;
    port.Zc = 0;
  end FreeShaft;

  model SpeedSource "Speed from a signal"
    Interfaces.ShaftQ port "Port";
    Modelica.Blocks.Interfaces.RealInput w(unit="rad/s") "Speed";
    SI.Angle phi(start=0, fixed=true) "Angle";
  equation
    der(phi) = w;
    port.phi = phi;
    port.w = w;
    port.tau = port.c + port.Zc*w;
  end SpeedSource;

  model Gear "Gear between a C component at port_a and a Q component at port_b"
    parameter Real ratio = 1 "Speed at port_a over speed at port_b";
    Interfaces.ShaftQ port_a "To a C component";
    Interfaces.ShaftC port_b "To a Q component";
  equation
    port_a.w = ratio*port_b.w;
    port_a.phi = ratio*port_b.phi;
    port_a.tau = port_a.c + port_a.Zc*port_a.w;
    port_b.c = ratio*port_a.c;
    port_b.Zc = ratio^2*port_a.Zc;
  end Gear;
end Mechanics;
