within Ferrica;
package TLM "Transmission lines: components that cut a model into independent parts"
  // Each end of a lossless line obeys  e = c + Z f,  where f flows into the line and the wave
  // c = (e + Z f) of the other end, one travelling time T ago. Nothing at one end depends on the
  // other end at the same time, so the two sides can be integrated separately.
  // Before the first wave arrives, at startTime + T, the line is in the steady state e_start, f_start.
  import Modelica.Units.SI;

  model HydraulicLine "Pipe between two hydraulic ports"
    parameter SI.Time T(min=0) = 1e-4 "Travelling time from end to end";
    parameter Real Zc(unit="Pa.s/m3", min=0) = 1e8 "Characteristic impedance";
    parameter Real R(unit="Pa.s/m3", min=0) = 0 "Laminar resistance, half of it at each end";
    parameter SI.Pressure p_start = 0 "Pressure before the start";
    parameter SI.VolumeFlowRate q_start = 0 "Flow from port_a to port_b before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Ferrica.Hydraulics.Interfaces.Port port_a "One end";
    Ferrica.Hydraulics.Interfaces.Port port_b "Other end";
    SI.Pressure c_a(start=p_start - Zc*q_start) "Wave that arrives at port_a";
    SI.Pressure c_b(start=p_start + Zc*q_start) "Wave that arrives at port_b";
  initial equation
    startTime = time;
  equation
    port_a.p = c_a + (Zc + R/2)*port_a.q;
    port_b.p = c_b + (Zc + R/2)*port_b.q;
    c_a = if time < startTime + T then p_start - Zc*q_start else delay(c_b + 2*Zc*port_b.q, T);
    c_b = if time < startTime + T then p_start + Zc*q_start else delay(c_a + 2*Zc*port_a.q, T);
  end HydraulicLine;

  model HydraulicPipe "Pipe given by its geometry and the fluid"
    extends HydraulicLine(
      final T=L/sqrt(beta/rho),
      final Zc=4*sqrt(beta*rho)/(Modelica.Constants.pi*D^2),
      final R=128*mu*L/(Modelica.Constants.pi*D^4));
    parameter SI.Length L = 1 "Length";
    parameter SI.Diameter D = 0.01 "Inner diameter";
    parameter SI.BulkModulus beta = Ferrica.Hydraulics.Oil.beta "Bulk modulus";
    parameter SI.Density rho = Ferrica.Hydraulics.Oil.rho "Density";
    parameter SI.DynamicViscosity mu = 0 "Viscosity; 0: without loss";
  end HydraulicPipe;

  model ElectricalLine "Cable between two electrical ports"
    parameter SI.Time T(min=0) = 1e-6 "Travelling time from end to end";
    parameter SI.Resistance Zc(min=0) = 50 "Characteristic impedance";
    parameter SI.Resistance R(min=0) = 0 "Series resistance, half of it at each end";
    parameter SI.Voltage v_start = 0 "Voltage before the start";
    parameter SI.Current i_start = 0 "Current from port 1 to port 2 before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Modelica.Electrical.Analog.Interfaces.PositivePin p1 "Port 1, conductor";
    Modelica.Electrical.Analog.Interfaces.NegativePin n1 "Port 1, return";
    Modelica.Electrical.Analog.Interfaces.PositivePin p2 "Port 2, conductor";
    Modelica.Electrical.Analog.Interfaces.NegativePin n2 "Port 2, return";
    SI.Voltage v1 "Voltage at port 1";
    SI.Voltage v2 "Voltage at port 2";
    SI.Voltage c1(start=v_start - Zc*i_start) "Wave that arrives at port 1";
    SI.Voltage c2(start=v_start + Zc*i_start) "Wave that arrives at port 2";
  initial equation
    startTime = time;
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
    v1 = c1 + (Zc + R/2)*p1.i;
    v2 = c2 + (Zc + R/2)*p2.i;
    c1 = if time < startTime + T then v_start - Zc*i_start else delay(c2 + 2*Zc*p2.i, T);
    c2 = if time < startTime + T then v_start + Zc*i_start else delay(c1 + 2*Zc*p1.i, T);
  end ElectricalLine;

  model TranslationalLine "Elastic rod between two translational flanges"
    parameter SI.Time T(min=0) = 1e-5 "Travelling time from end to end";
    parameter Real Zc(unit="N.s/m", min=0) = 1e4 "Characteristic impedance";
    parameter Real d(unit="N.s/m", min=0) = 0 "Drag of the surroundings, half of it at each end";
    parameter SI.Force f_start = 0 "Compression before the start";
    parameter SI.Velocity v_start = 0 "Velocity before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Modelica.Mechanics.Translational.Interfaces.Flange_a flange_a "One end";
    Modelica.Mechanics.Translational.Interfaces.Flange_b flange_b "Other end";
    SI.Velocity v_a "Velocity of flange_a, into the rod";
    SI.Velocity v_b "Velocity of flange_b, out of the rod";
    SI.Force c_a(start=f_start - Zc*v_start) "Wave that arrives at flange_a";
    SI.Force c_b(start=f_start + Zc*v_start) "Wave that arrives at flange_b";
  initial equation
    startTime = time;
  equation
    v_a = der(flange_a.s);
    v_b = der(flange_b.s);
    flange_a.f = c_a + (Zc + d/2)*v_a;
    -flange_b.f = c_b - (Zc + d/2)*v_b;
    c_a = if time < startTime + T then f_start - Zc*v_start else delay(c_b - 2*Zc*v_b, T);
    c_b = if time < startTime + T then f_start + Zc*v_start else delay(c_a + 2*Zc*v_a, T);
  end TranslationalLine;

  model RotationalLine "Elastic shaft between two rotational flanges"
    parameter SI.Time T(min=0) = 1e-5 "Travelling time from end to end";
    parameter Real Zc(unit="N.m.s/rad", min=0) = 100 "Characteristic impedance";
    parameter Real d(unit="N.m.s/rad", min=0) = 0 "Drag of the surroundings, half of it at each end";
    parameter SI.Torque tau_start = 0 "Torque before the start";
    parameter SI.AngularVelocity w_start = 0 "Speed before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Modelica.Mechanics.Rotational.Interfaces.Flange_a flange_a "One end";
    Modelica.Mechanics.Rotational.Interfaces.Flange_b flange_b "Other end";
    SI.AngularVelocity w_a "Speed of flange_a";
    SI.AngularVelocity w_b "Speed of flange_b";
    SI.Torque c_a(start=tau_start - Zc*w_start) "Wave that arrives at flange_a";
    SI.Torque c_b(start=tau_start + Zc*w_start) "Wave that arrives at flange_b";
  initial equation
    startTime = time;
  equation
    w_a = der(flange_a.phi);
    w_b = der(flange_b.phi);
    flange_a.tau = c_a + (Zc + d/2)*w_a;
    -flange_b.tau = c_b - (Zc + d/2)*w_b;
    c_a = if time < startTime + T then tau_start - Zc*w_start else delay(c_b - 2*Zc*w_b, T);
    c_b = if time < startTime + T then tau_start + Zc*w_start else delay(c_a + 2*Zc*w_a, T);
  end RotationalLine;

  model Spring "Translational spring as a line: stiffness k, with the added mass k T^2"
    extends TranslationalLine(final Zc=k*T);
    parameter SI.TranslationalSpringConstant k = 1e6 "Stiffness";
  end Spring;

  model Shaft "Torsion spring as a line: stiffness k, with the added inertia k T^2"
    extends RotationalLine(final Zc=k*T);
    parameter SI.RotationalSpringConstant k = 1e5 "Stiffness";
  end Shaft;

  model Volume "Hydraulic volume as a line: capacity V/beta, with the added inertance beta T^2/V"
    extends HydraulicLine(final Zc=beta*T/V);
    parameter SI.Volume V = 1e-3 "Volume";
    parameter SI.BulkModulus beta = Ferrica.Hydraulics.Oil.beta "Bulk modulus";
  end Volume;

  model DistortionlessCable "Cable whose losses in series and across are in the ratio that leaves the shape of a wave: L G = C R"
    // Heaviside's condition. A wave arrives as it was sent, smaller by exp(-loss).
    parameter SI.Time T(min=0) = 1e-6 "Travelling time from end to end";
    parameter SI.Resistance Zc(min=0) = 50 "Characteristic impedance";
    parameter Real loss(min=0) = 0.1 "Attenuation of a wave from end to end, in nepers: T R/L";
    final parameter Real left = exp(-loss) "What is left of a wave at the other end";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Modelica.Electrical.Analog.Interfaces.PositivePin p1 "Port 1, conductor";
    Modelica.Electrical.Analog.Interfaces.NegativePin n1 "Port 1, return";
    Modelica.Electrical.Analog.Interfaces.PositivePin p2 "Port 2, conductor";
    Modelica.Electrical.Analog.Interfaces.NegativePin n2 "Port 2, return";
    SI.Voltage v1 "Voltage at port 1";
    SI.Voltage v2 "Voltage at port 2";
    SI.Voltage c1(start=0) "Wave that arrives at port 1";
    SI.Voltage c2(start=0) "Wave that arrives at port 2";
  initial equation
    startTime = time;
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
    v1 = c1 + Zc*p1.i;
    v2 = c2 + Zc*p2.i;
    c1 = if time < startTime + T then 0 else left*delay(c2 + 2*Zc*p2.i, T);
    c2 = if time < startTime + T then 0 else left*delay(c1 + 2*Zc*p1.i, T);
  end DistortionlessCable;

  model Friction "Laminar friction of a piece of pipe that depends on the frequency"
    // W. Zielke (1968): the shear at the wall follows the acceleration through a weighting function, here the sum of ten exponentials of Kagawa, Lee,
    // Kitagawa and Takenaka (1983). State k is that exponential's part of the flow's past: p_a - p_b = R (q + sum(y)/2), y' = m q' - n nu/r^2 y, written for y - m q.
    parameter SI.Length L = 1 "Length";
    parameter SI.Diameter D = 0.01 "Inner diameter";
    parameter SI.Density rho = Ferrica.Hydraulics.Oil.rho "Density";
    parameter SI.DynamicViscosity mu = 0.03 "Viscosity";
    parameter SI.VolumeFlowRate q_start = 0 "Flow before the start";
    Ferrica.Hydraulics.Interfaces.Port port_a "One end";
    Ferrica.Hydraulics.Interfaces.Port port_b "Other end";
    SI.VolumeFlowRate q "Flow from port_a to port_b";
  protected
    constant Real m[:] = {1, 1.16725, 2.20064, 3.92861, 6.78788, 11.6761, 20.0612, 34.4541, 59.1642, 101.590};
    constant Real n[:] = {26.3744, 72.8033, 187.424, 536.626, 1570.60, 4618.13, 13601.1, 40082.5, 118153, 348316};
    parameter Real R = 128*mu*L/(Modelica.Constants.pi*D^4) "Steady resistance";
    parameter Real rate = 4*mu/(rho*D^2) "nu/r^2";
    Real z[size(m, 1)](start=-m*q_start, each fixed=true, each nominal=1e-5) "y - m q";
  equation
    q = port_a.q;
    port_a.q + port_b.q = 0;
    der(z) = -rate*n .* (z + m*q);
    port_a.p - port_b.p = R*(q + sum(z + m*q)/2);
  end Friction;

  model FrictionPipe "Pipe in sections, with friction that depends on the frequency between them"
    parameter Integer n(min=1) = 10 "Sections: friction acts between them and, half as much, at the ends";
    parameter SI.Length L = 1 "Length";
    parameter SI.Diameter D = 0.01 "Inner diameter";
    parameter SI.BulkModulus beta = Ferrica.Hydraulics.Oil.beta "Bulk modulus";
    parameter SI.Density rho = Ferrica.Hydraulics.Oil.rho "Density";
    parameter SI.DynamicViscosity mu = 0.03 "Viscosity";
    parameter SI.Pressure p_start = 0 "Pressure before the start, without flow";
    Ferrica.Hydraulics.Interfaces.Port port_a "One end";
    Ferrica.Hydraulics.Interfaces.Port port_b "Other end";
    HydraulicLine line[n](each T=L/n/sqrt(beta/rho), each Zc=4*sqrt(beta*rho)/(Modelica.Constants.pi*D^2), each p_start=p_start);
    Friction friction[n + 1](L=cat(1, {L/(2*n)}, fill(L/n, n - 1), {L/(2*n)}), each D=D, each rho=rho, each mu=mu);
  equation
    connect(port_a, friction[1].port_a);
    for k in 1:n loop
      connect(friction[k].port_b, line[k].port_a);
      connect(line[k].port_b, friction[k + 1].port_a);
    end for;
    connect(friction[n + 1].port_b, port_b);
  end FrictionPipe;

  model Cavity "Place between lines, or at the end of one, at which the column of liquid can break"
    // The discrete cavity of Wylie and Streeter: where the pressure would fall below that of the vapour it is that of the vapour, and what flows away leaves a
    // cavity; where that has closed, the liquid is whole again.
    parameter SI.Pressure p_vapour = 0 "Pressure of the vapour";
    parameter SI.Pressure tension(min=0) = 100 "Below that of the vapour by so much the liquid breaks";
    Ferrica.Hydraulics.Interfaces.Port port_a "One side";
    Ferrica.Hydraulics.Interfaces.Port port_b "Other side";
    SI.Pressure p "Pressure";
    SI.VolumeFlowRate q "Net flow into the place";
    SI.Volume V(start=0, fixed=true, nominal=1e-6) "Volume of the cavity";
    Boolean broken(start=false, fixed=true) "There is a cavity";
  equation
    port_a.p = p;
    port_b.p = p;
    q = port_a.q + port_b.q;
    0 = if broken then p - p_vapour else q;
    der(V) = if broken then -q else 0;
    broken = if pre(broken) then V > 0 or q < 0 else p < p_vapour - tension;
    when not broken then
      reinit(V, 0);
    end when;
  end Cavity;

  block LimitedFilter "Second-order filter with limits, by the bilinear transform: a spool between its stops"
    // y'' = w^2 (u - y) - 2 D w y' over steps of T by the trapezoidal rule. What would leave the limits stands still at them, so
    // the output leaves a stop as soon as the input pulls it off; there is no state and no event.
    extends Modelica.Blocks.Interfaces.SISO;
    parameter SI.AngularFrequency w = 100 "Natural angular frequency";
    parameter Real D(min=0) = 1 "Damping ratio";
    parameter Real y_min = -1e300 "Lower limit";
    parameter Real y_max = 1e300 "Upper limit";
    parameter Real y_start = 0 "Output before the start, at rest";
    parameter SI.Time T(min=0) = 1e-4 "Time step";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Real v "Rate of the output";
  protected
    Real a "Rate of v";
    Real y_old "Output one step ago";
    Real v_old "Its rate";
    Real a_old "Rate of that";
    Real free "Output without limits";
    Real v_free "Its rate";
  initial equation
    startTime = time;
  equation
    y_old = if time < startTime + T then y_start else delay(y, T);
    v_old = if time < startTime + T then 0 else delay(v, T);
    a_old = if time < startTime + T then 0 else delay(a, T);
    free = (2*v_old + T/2*(w^2*u + 2*D*w*v_old + a_old) + y_old*(2/T + 2*D*w))/(2/T + T/2*w^2 + 2*D*w);
    v_free = 2/T*(free - y_old) - v_old;
    y = noEvent(max(y_min, min(y_max, free)));
    v = noEvent(if free < y_min or free > y_max then 0 else v_free);
    a = noEvent(if free < y_min or free > y_max then 0 else w^2*(u - free) - 2*D*w*v_free);
  end LimitedFilter;

  package Examples "Small models that run"
    model MatchedCable "A step runs along a cable and is absorbed by its matched end"
      Modelica.Electrical.Analog.Sources.StepVoltage source(V=10, startTime=1e-6);
      Modelica.Electrical.Analog.Basic.Resistor sourceImpedance(R=50);
      ElectricalLine line(T=2e-6, Zc=50);
      Modelica.Electrical.Analog.Basic.Resistor load(R=50);
      Modelica.Electrical.Analog.Basic.Ground ground;
    equation
      connect(source.p, sourceImpedance.p);
      connect(sourceImpedance.n, line.p1);
      connect(line.n1, source.n);
      connect(line.p2, load.p);
      connect(line.n2, load.n);
      connect(ground.p, source.n);
      connect(ground.p, load.n);
      annotation(experiment(StopTime=1e-5, Interval=1e-7));
    end MatchedCable;

    model WaterHammer "A valve closes at the end of a pipe"
      Ferrica.Hydraulics.Sources.PressureSource supply(p=1e5);
      HydraulicPipe pipe(L=100, D=0.02, rho=1000, beta=2e9, p_start=1e5, q_start=1e-4);
      Ferrica.Hydraulics.Sources.PrescribedFlow valve;
      Modelica.Blocks.Sources.Step closing(height=1e-4, offset=-1e-4, startTime=0.2);
    equation
      connect(supply.port, pipe.port_a);
      connect(pipe.port_b, valve.port);
      connect(closing.y, valve.q);
      annotation(experiment(StopTime=1, Interval=1e-3));
    end WaterHammer;
  end Examples;
end TLM;
