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

  model MultiConductorLine "Coupled conductors over a common return"
    // Each mode travels by itself, with its own speed. The modes are scaled so that the capacitance of each is one: its impedance is its travelling time.
    parameter Integer n(min=1) = 2 "Conductors";
    parameter SI.Length length = 1 "Length";
    parameter Real L[n, n](each unit="H/m") = 2.5e-7*(identity(n) + 0.2*(ones(n, n) - identity(n))) "Inductances of a metre";
    parameter Real C[n, n](each unit="F/m") = 1e-10*(identity(n) - 0.1*(ones(n, n) - identity(n))) "Capacitances of a metre: negative between conductors";
    parameter SI.Resistance R[n](each min=0) = zeros(n) "Series resistance of each conductor, half of it at each end";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Modelica.Electrical.Analog.Interfaces.PositivePin p1[n] "Port 1, conductors";
    Modelica.Electrical.Analog.Interfaces.NegativePin n1 "Port 1, return";
    Modelica.Electrical.Analog.Interfaces.PositivePin p2[n] "Port 2, conductors";
    Modelica.Electrical.Analog.Interfaces.NegativePin n2 "Port 2, return";
    SI.Voltage c1[n](each start=0) "Modal waves that arrive at port 1";
    SI.Voltage c2[n](each start=0) "Modal waves that arrive at port 2";
    SI.Current i1[n] "Modal currents into port 1";
    SI.Current i2[n] "Modal currents into port 2";
    final parameter Real Tv[n, n] = coupledModes(length*L, length*C) "Voltages of the modes, in columns";
    final parameter Real Ti[n, n] = length*C*Tv "Their currents";
    final parameter SI.Time T[n] = {sqrt(Ti[:, k]*(length*L*Ti[:, k])) for k in 1:n} "Travelling times of the modes";
    final parameter SI.Resistance Z[n] = {sqrt(Ti[:, k]*(length*L*Ti[:, k])) for k in 1:n} "Their impedances";
  initial equation
    startTime = time;
  equation
    sum(p1.i) + n1.i = 0;
    sum(p2.i) + n2.i = 0;
    i1 = transpose(Tv)*p1.i;
    i2 = transpose(Tv)*p2.i;
    for k in 1:n loop
      p1[k].v - n1.v = Tv[k, :]*(c1 + Z .* i1) + R[k]/2*p1[k].i;
      p2[k].v - n2.v = Tv[k, :]*(c2 + Z .* i2) + R[k]/2*p2[k].i;
      c1[k] = if time < startTime + T[k] then 0 else delay(c2[k] + 2*Z[k]*i2[k], T[k]);
      c2[k] = if time < startTime + T[k] then 0 else delay(c1[k] + 2*Z[k]*i1[k], T[k]);
    end for;
  end MultiConductorLine;

  function coupledModes "Voltages of the independent waves of coupled lossless conductors, in columns: v = Tv*vm, i = C*Tv*im"
    // With C = S S' and S' L S = Q diag(lambda) Q': Tv = inv(S') Q makes C the identity and L diag(lambda). Q by Jacobi's rotations,
    // which keep it orthogonal also where modes are equally fast.
    input Real L[:, :] "Inductances, for all of the length";
    input Real C[size(L, 1), size(L, 1)] "Capacitances: positive diagonal, negative between conductors";
    output Real Tv[size(L, 1), size(L, 1)] = zeros(size(L, 1), size(L, 1)) "Voltages of the modes, in columns";
  protected
    constant Integer sweeps = 30 "Each squares what is left beside the diagonal";
    Integer n = size(L, 1);
    Real S[size(L, 1), size(L, 1)] = zeros(size(L, 1), size(L, 1)) "Lower triangle";
    Real M[size(L, 1), size(L, 1)];
    Real Q[size(L, 1), size(L, 1)] = identity(size(L, 1));
    Real t, c, s, theta, a, b, sum, rest;
  algorithm
    for j in 1:n loop
      sum := C[j, j];
      for k in 1:j - 1 loop
        sum := sum - S[j, k]^2;
      end for;
      assert(sum > 0, "the capacitances of coupled conductors must be a positive definite matrix");
      S[j, j] := sqrt(sum);
      for i in j + 1:n loop
        sum := C[i, j];
        for k in 1:j - 1 loop
          sum := sum - S[i, k]*S[j, k];
        end for;
        S[i, j] := sum/S[j, j];
      end for;
    end for;
    M := transpose(S)*L*S;
    for sweep in 1:sweeps loop
      rest := 0;
      for p in 1:n - 1 loop
        for q in p + 1:n loop
          rest := rest + abs(M[p, q])/sqrt(abs(M[p, p]*M[q, q]) + Modelica.Constants.small);
          if M[p, q] <> 0 then
            theta := (M[q, q] - M[p, p])/(2*M[p, q]);
            t := (if theta >= 0 then 1 else -1)/(abs(theta) + sqrt(1 + theta^2));
            c := 1/sqrt(1 + t^2);
            s := t*c;
            for k in 1:n loop
              a := M[k, p];
              b := M[k, q];
              M[k, p] := c*a - s*b;
              M[k, q] := s*a + c*b;
            end for;
            for k in 1:n loop
              a := M[p, k];
              b := M[q, k];
              M[p, k] := c*a - s*b;
              M[q, k] := s*a + c*b;
            end for;
            for k in 1:n loop
              a := Q[k, p];
              b := Q[k, q];
              Q[k, p] := c*a - s*b;
              Q[k, q] := s*a + c*b;
            end for;
          end if;
        end for;
      end for;
      if rest < 1e-15 then
        break;
      end if;
    end for;
    for j in 1:n loop
      assert(M[j, j] > 0, "the inductances of coupled conductors must be a positive definite matrix");
      // S' x = Q[:, j], from the last row up.
      for i in n:-1:1 loop
        sum := Q[i, j];
        for k in i + 1:n loop
          sum := sum - S[k, i]*Tv[k, j];
        end for;
        Tv[i, j] := sum/S[i, i];
      end for;
    end for;
  end coupledModes;

  model HeatLine "Wave of heat between two ports"
    parameter SI.Time T(min=0) = 1e-3 "Travelling time from end to end";
    parameter Real Zc(unit="K/W", min=0) = 1 "Characteristic impedance: travelling time over heat capacity";
    parameter SI.ThermalResistance R(min=0) = 0 "Resistance, half of it at each end";
    parameter SI.Temperature T_start = 293.15 "Temperature before the start";
    parameter SI.HeatFlowRate Q_start = 0 "Heat from port_a to port_b before the start";
    final parameter SI.Time startTime(fixed=false) "Start of the simulation";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a port_a "One end";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_b port_b "Other end";
    SI.Temperature c_a(start=T_start - Zc*Q_start) "Wave that arrives at port_a";
    SI.Temperature c_b(start=T_start + Zc*Q_start) "Wave that arrives at port_b";
  initial equation
    startTime = time;
  equation
    port_a.T = c_a + (Zc + R/2)*port_a.Q_flow;
    port_b.T = c_b + (Zc + R/2)*port_b.Q_flow;
    c_a = if time < startTime + T then T_start - Zc*Q_start else delay(c_b + 2*Zc*port_b.Q_flow, T);
    c_b = if time < startTime + T then T_start + Zc*Q_start else delay(c_a + 2*Zc*port_a.Q_flow, T);
  end HeatLine;

  model HeatRod "Rod that conducts and stores heat, in sections: each of the travelling time T, with the added thermal inertance T^2 n/C"
    // Heat diffuses and has no wave: a section shorter than its own time constant, T << R C/n^2, comes near to that.
    parameter Integer n(min=1) = 10 "Sections";
    parameter SI.HeatCapacity C = 1000 "Heat capacity";
    parameter SI.ThermalResistance R = 1 "Resistance from end to end";
    parameter SI.Time T(min=0) = 0.01*R*C/n^2 "Travelling time of a section";
    parameter SI.Temperature T_start = 293.15 "Temperature before the start";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a port_a "One end";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_b port_b "Other end";
    HeatLine line[n](each T=T, each Zc=T*n/C, each R=R/n, each T_start=T_start);
  equation
    connect(port_a, line[1].port_a);
    for k in 2:n loop
      connect(line[k - 1].port_b, line[k].port_a);
    end for;
    connect(line[n].port_b, port_b);
  end HeatRod;

  model Hysteresis "Damping of a material: springs in parallel, each of which slips at its force"
    // W. D. Iwan (1966), of elements by Jenkins. A cycle takes energy by its amplitude, whatever its speed: 4 F (a - F/k) of each element that slips.
    extends Modelica.Mechanics.Translational.Interfaces.PartialCompliant;
    parameter SI.TranslationalSpringConstant k[:] = {1e5, 1e5} "Stiffnesses";
    parameter SI.Force F[size(k, 1)] = {50, 100} "Forces at which they slip";
    SI.Velocity v_rel "Rate of s_rel";
    SI.Force f_k[size(k, 1)](each start=0, each fixed=true) "Forces of the elements";
    Boolean slips[size(k, 1)] "An element slips";
  equation
    v_rel = der(s_rel);
    f = sum(f_k);
    for i in 1:size(k, 1) loop
      slips[i] = f_k[i] >= F[i] and v_rel > 0 or f_k[i] <= -F[i] and v_rel < 0;
      der(f_k[i]) = if slips[i] then 0 else k[i]*v_rel;
    end for;
  end Hysteresis;

  package Examples "Small models that run"
    model Crosstalk "A step on one of two coupled conductors is heard on the other"
      MultiConductorLine line(length=10, L=[3e-7, 6e-8; 6e-8, 3e-7], C=[1e-10, -1e-11; -1e-11, 1e-10]);
      Modelica.Electrical.Analog.Sources.StepVoltage source(V=1, startTime=1e-8);
      Modelica.Electrical.Analog.Basic.Resistor own(R=50), near(R=50), far[2](each R=50);
      Modelica.Electrical.Analog.Basic.Ground ground;
    equation
      connect(source.n, ground.p);
      connect(source.p, own.p);
      connect(own.n, line.p1[1]);
      connect(near.p, line.p1[2]);
      connect(near.n, ground.p);
      connect(line.n1, ground.p);
      connect(line.n2, ground.p);
      for k in 1:2 loop
        connect(far[k].p, line.p2[k]);
        connect(far[k].n, ground.p);
      end for;
      annotation(experiment(StopTime=4e-7, Interval=1e-9));
    end Crosstalk;

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
