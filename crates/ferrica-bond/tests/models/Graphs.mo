package Graphs "Networks of power ports in four domains, some of them driven by sources of flow or of functions with a memory"
  package E = Modelica.Electrical.Analog;
  package R = Modelica.Mechanics.Rotational;
  package T = Modelica.Mechanics.Translational;
  package H = Modelica.Thermal.HeatTransfer;
  model E1 "RC charged by a voltage step"
    E.Sources.StepVoltage V(V=5, startTime=0.1);
    E.Basic.Resistor R(R=100);
    E.Basic.Capacitor C(C=1e-3, v(start=0, fixed=true));
    E.Basic.Ground g;
  equation
    connect(V.p, R.p);
    connect(R.n, C.p);
    connect(C.n, V.n);
    connect(V.n, g.p);
    annotation(experiment(StopTime=1));
  end E1;
  model E2 "current source into parallel RC"
    E.Sources.ConstantCurrent I(I=2);
    E.Basic.Resistor R(R=10);
    E.Basic.Capacitor C(C=1e-2, v(start=0, fixed=true));
    E.Basic.Ground g;
  equation
    connect(I.n, R.p);
    connect(R.p, C.p);
    connect(C.n, I.p);
    connect(R.n, I.p);
    connect(I.p, g.p);
    annotation(experiment(StopTime=1));
  end E2;
  model E3 "sine current into a parallel resonant circuit"
    E.Sources.SineCurrent I(I=0.5, f=3);
    E.Basic.Resistor R(R=20);
    E.Basic.Capacitor C(C=1e-3, v(start=0, fixed=true));
    E.Basic.Inductor L(L=0.5, i(start=0, fixed=true));
    E.Basic.Ground g;
  equation
    connect(I.n, R.p);
    connect(R.p, C.p);
    connect(L.p, C.p);
    connect(L.n, g.p);
    connect(C.n, I.p);
    connect(R.n, I.p);
    connect(I.p, g.p);
    annotation(experiment(StopTime=2));
  end E3;
  model E4 "pulse current through two loops"
    E.Sources.PulseCurrent I(I=1, width=30, period=0.4);
    E.Basic.Resistor R1(R=5);
    E.Basic.Resistor R2(R=8);
    E.Basic.Capacitor C1(C=0.02, v(start=0, fixed=true));
    E.Basic.Capacitor C2(C=0.01, v(start=1, fixed=true));
    E.Basic.Ground g;
  equation
    connect(I.n, C1.p);
    connect(C1.p, R1.p);
    connect(R1.n, C2.p);
    connect(C2.p, R2.p);
    connect(R2.n, g.p);
    connect(C2.n, g.p);
    connect(C1.n, g.p);
    connect(I.p, g.p);
    annotation(experiment(StopTime=2));
  end E4;
  model E5 "transformer between a source and a loaded inductor"
    E.Sources.SineVoltage V(V=10, f=2);
    E.Basic.Resistor R1(R=2);
    E.Ideal.IdealTransformer T(n=3, considerMagnetization=false);
    E.Basic.Resistor R2(R=1);
    E.Basic.Inductor L(L=0.1, i(start=0, fixed=true));
    E.Basic.Ground g;
    E.Basic.Ground g2;
  equation
    connect(V.p, R1.p);
    connect(R1.n, T.p1);
    connect(T.n1, V.n);
    connect(V.n, g.p);
    connect(T.p2, L.p);
    connect(L.n, R2.p);
    connect(R2.n, T.n2);
    connect(T.n2, g2.p);
    annotation(experiment(StopTime=1.5));
  end E5;
  model E6 "gyrator turns a capacitor into an inductor"
    E.Sources.StepVoltage V(V=1, startTime=0.05);
    E.Basic.Resistor R1(R=1);
    E.Basic.Gyrator Q(G1=0.5, G2=0.5);
    E.Basic.Capacitor C(C=0.2, v(start=0, fixed=true));
    E.Basic.Resistor R2(R=20);
    E.Basic.Ground g;
    E.Basic.Ground g2;
  equation
    connect(V.p, R1.p);
    connect(R1.n, Q.p1);
    connect(Q.n1, V.n);
    connect(V.n, g.p);
    connect(Q.p2, C.p);
    connect(C.n, Q.n2);
    connect(R2.p, C.p);
    connect(R2.n, C.n);
    connect(Q.n2, g2.p);
    annotation(experiment(StopTime=3));
  end E6;
  model E7 "half-wave rectifier with a diode"
    E.Sources.SineVoltage V(V=10, f=5);
    E.Ideal.IdealDiode D(Ron=0.1, Goff=1e-4, Vknee=0);
    E.Basic.Resistor R(R=50);
    E.Basic.Capacitor C(C=2e-3, v(start=0, fixed=true));
    E.Basic.Ground g;
  equation
    connect(V.p, D.p);
    connect(D.n, C.p);
    connect(C.p, R.p);
    connect(R.n, V.n);
    connect(C.n, V.n);
    connect(V.n, g.p);
    annotation(experiment(StopTime=1));
  end E7;
  model E8 "switch driven by a table of time"
    E.Sources.ConstantVoltage V(V=12);
    E.Ideal.IdealClosingSwitch S(Ron=0.01, Goff=1e-4);
    Modelica.Blocks.Sources.BooleanPulse b(period=0.2, width=40);
    E.Basic.Resistor R(R=10);
    E.Basic.Inductor L(L=0.5, i(start=0, fixed=true));
    E.Basic.Resistor Rd(R=30);
    E.Basic.Ground g;
  equation
    connect(b.y, S.control);
    connect(V.p, S.p);
    connect(S.n, R.p);
    connect(R.n, L.p);
    connect(L.n, V.n);
    connect(Rd.p, S.n);
    connect(Rd.n, V.n);
    connect(V.n, g.p);
    annotation(experiment(StopTime=1));
  end E8;
  model E9 "ladder of five with a ramp current"
    E.Sources.RampCurrent I(I=1, duration=0.5);
    E.Basic.Resistor R[5](each R=3);
    E.Basic.Capacitor C[5](each C=0.01, each v(start=0, each fixed=true));
    E.Basic.Ground g;
  equation
    connect(I.n, C[1].p);
    for k in 1:5 loop connect(C[k].p, R[k].p);
      connect(C[k].n, g.p);
    end for;
    for k in 1:4 loop connect(R[k].n, C[k+1].p);
    end for;
    connect(R[5].n, g.p);
    connect(I.p, g.p);
    annotation(experiment(StopTime=1));
  end E9;
  model M1 "torque on two inertias with a spring and damper"
    R.Sources.TorqueStep u(stepTorque=10, startTime=0.1, offsetTorque=0, useSupport=false);
    R.Components.Inertia J1(J=1, w(start=0, fixed=true), phi(start=0, fixed=true));
    R.Components.Spring s(c=100);
    R.Components.Damper d(d=2);
    R.Components.Inertia J2(J=2, w(start=0, fixed=true), phi(start=0, fixed=true));
    R.Components.Damper b(d=1);
    R.Components.Fixed f;
  equation
    connect(u.flange, J1.flange_a);
    connect(J1.flange_b, s.flange_a);
    connect(s.flange_b, J2.flange_a);
    connect(d.flange_a, s.flange_a);
    connect(d.flange_b, s.flange_b);
    connect(J2.flange_b, b.flange_a);
    connect(b.flange_b, f.flange);
    annotation(experiment(StopTime=4));
  end M1;
  model M2 "gear between inertias, one is dependent"
    R.Sources.ConstantTorque u(tau_constant=3, useSupport=false);
    R.Components.Inertia J1(J=0.5, w(start=0, fixed=true), phi(start=0, fixed=true));
    R.Components.IdealGear gear(ratio=4, useSupport=false);
    R.Components.Inertia J2(J=6);
    R.Components.Damper b(d=5);
    R.Components.Fixed f;
  equation
    connect(u.flange, J1.flange_a);
    connect(J1.flange_b, gear.flange_a);
    connect(gear.flange_b, J2.flange_a);
    connect(J2.flange_b, b.flange_a);
    connect(b.flange_b, f.flange);
    annotation(experiment(StopTime=4));
  end M2;
  model M3 "mass, spring, damper under a sine force"
    Modelica.Blocks.Sources.Sine q(amplitude=5, f=1);
    T.Sources.Force F(useSupport=false);
    T.Components.Mass m(m=2, v(start=0, fixed=true), s(start=0, fixed=true));
    T.Components.SpringDamper s(c=50, d=1.5);
    T.Components.Fixed f;
  equation
    connect(q.y, F.f);
    connect(F.flange, m.flange_a);
    connect(m.flange_b, s.flange_a);
    connect(s.flange_b, f.flange);
    annotation(experiment(StopTime=5));
  end M3;
  model M4 "free oscillation of two coupled masses"
    T.Components.Fixed f;
    T.Components.Spring s1(c=20);
    T.Components.Mass m1(m=1, v(start=0, fixed=true), s(start=0.3, fixed=true));
    T.Components.SpringDamper s2(c=10, d=0.2);
    T.Components.Mass m2(m=1.5, v(start=0.5, fixed=true), s(start=0, fixed=true));
  equation
    connect(f.flange, s1.flange_a);
    connect(s1.flange_b, m1.flange_a);
    connect(m1.flange_b, s2.flange_a);
    connect(s2.flange_b, m2.flange_a);
    annotation(experiment(StopTime=5));
  end M4;
  model M5 "motor: electrical and mechanical"
    E.Sources.StepVoltage V(V=24, startTime=0.05);
    E.Basic.Resistor Ra(R=1);
    E.Basic.Inductor La(L=0.02, i(start=0, fixed=true));
    E.Basic.RotationalEMF emf(k=0.5, useSupport=false);
    R.Components.Inertia J(J=0.05, w(start=0, fixed=true), phi(start=0, fixed=true));
    R.Components.Damper b(d=0.02);
    R.Components.Fixed f;
    E.Basic.Ground g;
  equation
    connect(V.p, Ra.p);
    connect(Ra.n, La.p);
    connect(La.n, emf.p);
    connect(emf.n, V.n);
    connect(V.n, g.p);
    connect(emf.flange, J.flange_a);
    connect(J.flange_b, b.flange_a);
    connect(b.flange_b, f.flange);
    annotation(experiment(StopTime=1));
  end M5;
  model T1 "heat flow into two bodies"
    H.Sources.FixedHeatFlow q(Q_flow=50);
    H.Components.HeatCapacitor c1(C=100, T(start=293.15, fixed=true));
    H.Components.ThermalConductor k1(G=4);
    H.Components.HeatCapacitor c2(C=300, T(start=293.15, fixed=true));
    H.Components.ThermalConductor k2(G=2);
    H.Sources.FixedTemperature a(T=293.15);
  equation
    connect(q.port, c1.port);
    connect(c1.port, k1.port_a);
    connect(k1.port_b, c2.port);
    connect(c2.port, k2.port_a);
    connect(k2.port_b, a.port);
    annotation(experiment(StopTime=400));
  end T1;
  model T2 "a wall under daily temperature"
    Modelica.Blocks.Sources.Sine s(amplitude=10, f=1/86400, offset=283.15);
    H.Sources.PrescribedTemperature out;
    H.Components.ThermalConductor k[4](each G=20);
    H.Components.HeatCapacitor c[3](each C=2e5, each T(start=283.15, fixed=true));
    H.Sources.FixedTemperature room(T=293.15);
  equation
    connect(s.y, out.T);
    connect(out.port, k[1].port_a);
    for i in 1:3 loop connect(k[i].port_b, c[i].port);
      connect(c[i].port, k[i+1].port_a);
    end for;
    connect(k[4].port_b, room.port);
    annotation(experiment(StopTime=172800));
  end T2;
  model T3 "heat that is switched on, two bodies and two losses"
    Modelica.Blocks.Sources.Step s(height=100, startTime=50);
    H.Sources.PrescribedHeatFlow q;
    H.Components.HeatCapacitor c1(C=500, T(start=300, fixed=true));
    H.Components.ThermalResistor r(R=0.2);
    H.Components.HeatCapacitor c2(C=800, T(start=290, fixed=true));
    H.Components.ThermalConductor k1(G=1);
    H.Components.ThermalConductor k2(G=3);
    H.Sources.FixedTemperature a(T=285);
  equation
    connect(s.y, q.Q_flow);
    connect(q.port, c1.port);
    connect(c1.port, r.port_a);
    connect(r.port_b, c2.port);
    connect(c1.port, k1.port_a);
    connect(k1.port_b, a.port);
    connect(c2.port, k2.port_a);
    connect(k2.port_b, a.port);
    annotation(experiment(StopTime=600));
  end T3;
  connector Port Real p(unit="Pa");
    flow Real q(unit="m3/s");
  end Port;
  partial model Two Port a;
    Port b;
    Real dp;
    Real q;
  equation
    dp = a.p - b.p;
    a.q = q;
    b.q = -q;
  end Two;
  model Pipe extends Two;
    parameter Real R = 1e8;
  equation
    dp = R*q;
  end Pipe;
  model Inert extends Two(q(start=0, fixed=true));
    parameter Real I = 1e7;
  equation
    I*der(q) = dp;
  end Inert;
  model Tank Port a(p(start=0, fixed=true));
    parameter Real C = 1e-6;
  equation
    C*der(a.p) = a.q;
  end Tank;
  model Pump Port a;
    parameter Real q = 1e-3;
  equation
    a.q = -q;
  end Pump;
  model Well Port a;
    parameter Real p = 0;
  equation
    a.p = p;
  end Well;
  model Piston "hydraulic to translational" Port a;
    T.Interfaces.Flange_b flange;
    parameter Real A = 0.01;
  equation
    a.q = A*der(flange.s);
    flange.f = -A*a.p;
  end Piston;
  model H1 "pump fills two tanks through a pipe"
    Pump p(q=1e-3);
    Tank t1(C=1e-6);
    Pipe r1(R=1e6);
    Tank t2(C=2e-6);
    Pipe r2(R=2e6);
    Well w;
  equation
    connect(p.a, t1.a);
    connect(t1.a, r1.a);
    connect(r1.b, t2.a);
    connect(t2.a, r2.a);
    connect(r2.b, w.a);
    annotation(experiment(StopTime=20));
  end H1;
  model H2 "water hammer: pipe with inertia between reservoir and tank"
    Well w(p=1e5);
    Pipe r(R=2e5);
    Inert i(I=2e5);
    Tank t(C=1e-6);
    Pipe out(R=3e6);
    Well v;
  equation
    connect(w.a, r.a);
    connect(r.b, i.a);
    connect(i.b, t.a);
    connect(t.a, out.a);
    connect(out.b, v.a);
    annotation(experiment(StopTime=5));
  end H2;
  model H3 "cylinder moves a mass on a spring"
    Pump p(q=2e-4);
    Tank t(C=1e-10);
    Pipe leak(R=5e9);
    Well w;
    Piston c(A=2e-3);
    T.Components.Mass m(m=20, v(start=0, fixed=true), s(start=0, fixed=true));
    T.Components.SpringDamper s(c=2e4, d=300);
    T.Components.Fixed f;
  equation
    connect(p.a, t.a);
    connect(t.a, leak.a);
    connect(leak.b, w.a);
    connect(t.a, c.a);
    connect(c.flange, m.flange_a);
    connect(m.flange_b, s.flange_a);
    connect(s.flange_b, f.flange);
    annotation(experiment(StopTime=1));
  end H3;
  model E10 "pulses that begin after the start"
    E.Sources.PulseVoltage V(V=12, width=60, period=0.5, startTime=0.05);
    E.Basic.Resistor R(R=1);
    E.Basic.Capacitor C(C=0.1, v(start=0, fixed=true));
    E.Basic.Ground g;
  equation
    connect(V.p, R.p);
    connect(R.n, C.p);
    connect(C.n, V.n);
    connect(V.n, g.p);
    annotation(experiment(StopTime=2));
  end E10;
  model E11 "a voltage that comes when much time has passed, and a trapezoid"
    E.Sources.StepVoltage V(V=5, startTime=40);
    E.Sources.TrapezoidVoltage W(V=2, rising=5, width=10, falling=3, period=30, startTime=20);
    E.Basic.Resistor R(R=1e3);
    E.Basic.Resistor Q(R=2e3);
    E.Basic.Capacitor C(C=5e-3, v(start=0, fixed=true));
    E.Basic.Ground g;
  equation
    connect(V.p, R.p);
    connect(R.n, C.p);
    connect(W.p, Q.p);
    connect(Q.n, C.p);
    connect(W.n, g.p);
    connect(C.n, g.p);
    connect(V.n, g.p);
    annotation(experiment(StopTime=80));
  end E11;
  model E12 "filtered pulses of current into a resistance that a sine moves"
    Modelica.Blocks.Sources.Sine s(amplitude=50, offset=100, f=3);
    E.Basic.VariableResistor vr;
    Modelica.Blocks.Sources.Pulse p(amplitude=0.2, period=0.5);
    Modelica.Blocks.Continuous.FirstOrder fo(T=0.05, y_start=0.1, initType=Modelica.Blocks.Types.Init.InitialOutput);
    E.Sources.SignalCurrent I;
    E.Basic.Capacitor C(C=5e-4, v(start=5, fixed=true));
    E.Basic.Resistor R(R=200);
    E.Basic.Ground g;
  equation
    connect(s.y, vr.R);
    connect(p.y, fo.u);
    connect(fo.y, I.i);
    connect(I.n, C.p);
    connect(I.p, g.p);
    connect(C.n, g.p);
    connect(vr.p, C.p);
    connect(vr.n, R.p);
    connect(R.n, g.p);
    annotation(experiment(StopTime=2));
  end E12;
  model E13 "bridge between a sine of current and an inductor, with a capacitor across"
    E.Sources.SineCurrent I(I=0.1, f=5, offset=0.05);
    E.Basic.Resistor R1(R=100);
    E.Basic.Resistor R2(R=220);
    E.Basic.Resistor R3(R=330);
    E.Basic.Resistor R4(R=150);
    E.Basic.Capacitor C(C=1e-4, v(start=2, fixed=true));
    E.Basic.Inductor L(L=2, i(start=0.01, fixed=true));
    E.Basic.Ground g;
  equation
    connect(I.n, R1.p);
    connect(I.n, R2.p);
    connect(R1.n, R3.p);
    connect(R2.n, R4.p);
    connect(R3.n, I.p);
    connect(R4.n, I.p);
    connect(R1.n, C.p);
    connect(C.n, R2.n);
    connect(I.n, L.p);
    connect(L.n, I.p);
    connect(I.p, g.p);
    annotation(experiment(StopTime=1));
  end E13;
  model T4 "a house whose outside follows a table"
    Modelica.Blocks.Sources.TimeTable tab(table=[0, 273; 3600, 278; 7200, 290; 10800, 283; 20000, 275]);
    H.Sources.PrescribedTemperature weather;
    H.Components.ThermalConductor wall(G=30);
    H.Components.ThermalConductor window(G=12);
    H.Components.ThermalConductor inside(G=80);
    H.Components.HeatCapacitor air(C=1e5, T(start=293, fixed=true));
    H.Components.HeatCapacitor mass(C=2e6, T(start=291, fixed=true));
    H.Sources.FixedHeatFlow heater(Q_flow=400);
    H.Sensors.TemperatureSensor ts;
  equation
    connect(tab.y, weather.T);
    connect(weather.port, wall.port_a);
    connect(wall.port_b, mass.port);
    connect(weather.port, window.port_a);
    connect(window.port_b, air.port);
    connect(air.port, inside.port_a);
    connect(inside.port_b, mass.port);
    connect(heater.port, air.port);
    connect(ts.port, air.port);
    annotation(experiment(StopTime=20000));
  end T4;
  model M6 "a speed that follows a ramp through a filter, and pulses of torque"
    R.Sources.Speed sp(exact=false, f_crit=50);
    Modelica.Blocks.Sources.Ramp r(height=50, duration=1);
    R.Components.Inertia J(J=0.3, phi(start=0, fixed=true), w(start=0, fixed=true));
    R.Components.SpringDamper s(c=100, d=1);
    R.Sources.Torque t;
    Modelica.Blocks.Sources.Pulse p(amplitude=3, period=0.7, width=30);
  equation
    connect(r.y, sp.w_ref);
    connect(sp.flange, s.flange_a);
    connect(s.flange_b, J.flange_a);
    connect(p.y, t.tau);
    connect(t.flange, J.flange_b);
    annotation(experiment(StopTime=2));
  end M6;
  model M7 "a quarter of a car on a road of sines"
    Modelica.Blocks.Sources.Sine road(amplitude=0.05, f=1.5);
    T.Sources.Position pos(exact=true);
    T.Components.Mass mu(m=40, s(start=0, fixed=true), v(start=0, fixed=true));
    T.Components.Mass ms(m=300, s(start=0, fixed=true), v(start=0.2, fixed=true));
    T.Components.Spring kt(c=2e5);
    T.Components.Spring ks(c=1.5e4);
    T.Components.Damper d(d=1200);
    T.Sources.ConstantForce w(f_constant=-100);
  equation
    connect(road.y, pos.s_ref);
    connect(pos.flange, kt.flange_a);
    connect(kt.flange_b, mu.flange_a);
    connect(mu.flange_b, ks.flange_a);
    connect(ks.flange_b, ms.flange_a);
    connect(mu.flange_b, d.flange_a);
    connect(d.flange_b, ms.flange_a);
    connect(ms.flange_b, w.flange);
    annotation(experiment(StopTime=3));
  end M7;
  model M8 "a planetary gear between three inertias, one of which depends on the others"
    R.Components.IdealPlanetary pl(ratio=3);
    R.Components.Inertia Js(J=0.01, w(start=10, fixed=true), phi(start=0, fixed=true));
    R.Components.Inertia Jc(J=0.2, w(start=1, fixed=true), phi(start=0, fixed=true));
    R.Components.Inertia Jr(J=0.05);
    R.Components.Damper d(d=0.05);
    R.Components.Damper d2(d=0.2);
    R.Components.Fixed f;
    R.Sources.ConstantTorque t(tau_constant=1);
  equation
    connect(Js.flange_b, pl.sun);
    connect(Jc.flange_b, pl.carrier);
    connect(Jr.flange_b, pl.ring);
    connect(d.flange_a, Jr.flange_a);
    connect(d.flange_b, f.flange);
    connect(t.flange, Js.flange_a);
    connect(d2.flange_a, Jc.flange_a);
    connect(d2.flange_b, f.flange);
    annotation(experiment(StopTime=1));
  end M8;
  model E14 "a transconductance and a gyrator between three capacitors"
    E.Sources.StepVoltage V(V=3, startTime=0.01, offset=-1);
    E.Basic.Resistor R1(R=1000);
    E.Basic.Resistor R2(R=500);
    E.Basic.Capacitor C1(C=1e-5, v(start=0.2, fixed=true));
    E.Basic.Capacitor C2(C=2e-5, v(start=-0.1, fixed=true));
    E.Basic.Capacitor C3(C=1e-5, v(start=0, fixed=true));
    E.Basic.VCC gm(transConductance=2e-3);
    E.Basic.Gyrator gy(G1=1e-3, G2=1e-3);
    E.Basic.Ground g;
  equation
    connect(V.p, R1.p);
    connect(R1.n, C1.p);
    connect(C1.n, g.p);
    connect(gm.p1, C1.p);
    connect(gm.n1, g.p);
    connect(gm.p2, C2.p);
    connect(gm.n2, g.p);
    connect(C2.n, g.p);
    connect(R2.p, C2.p);
    connect(R2.n, g.p);
    connect(gy.p1, C2.p);
    connect(gy.n1, g.p);
    connect(gy.p2, C3.p);
    connect(gy.n2, g.p);
    connect(C3.n, g.p);
    connect(V.n, g.p);
    annotation(experiment(StopTime=0.2));
  end E14;
  model E15 "a chain of controlled sources of each kind, the last of which acts back on the first"
    E.Sources.SineVoltage V(V=5, f=10);
    E.Basic.Resistor R1(R=50);
    E.Basic.Inductor L(L=0.3, i(start=0.02, fixed=true));
    E.Basic.CCV h(transResistance=30);
    E.Basic.Resistor R2(R=100);
    E.Basic.Capacitor C(C=1e-4, v(start=0, fixed=true));
    E.Basic.VCV a(gain=2);
    E.Basic.CCC b(gain=-0.5);
    E.Basic.Resistor R3(R=80);
    E.Basic.Resistor R4(R=60);
    E.Basic.Capacitor D(C=2e-4, v(start=1, fixed=true));
    E.Basic.VCV back(gain=0.3);
    E.Basic.Ground g;
  equation
    connect(V.p, R1.p);
    connect(R1.n, L.p);
    connect(L.n, h.p1);
    connect(h.n1, back.p2);
    connect(back.n2, g.p);
    connect(V.n, g.p);
    connect(h.p2, R2.p);
    connect(R2.n, C.p);
    connect(C.n, g.p);
    connect(h.n2, g.p);
    connect(a.p1, C.p);
    connect(a.n1, g.p);
    connect(a.p2, R3.p);
    connect(R3.n, b.p1);
    connect(b.n1, g.p);
    connect(a.n2, g.p);
    connect(b.p2, D.p);
    connect(b.n2, g.p);
    connect(D.n, g.p);
    connect(R4.p, D.p);
    connect(R4.n, g.p);
    connect(back.p1, D.p);
    connect(back.n1, g.p);
    annotation(experiment(StopTime=0.5));
  end E15;
  model E16 "a voltage divider through an amplifier with a loop of resistors"
    E.Sources.SineVoltage V(V=2, f=20, offset=1);
    E.Basic.Resistor R1(R=100);
    E.Basic.Resistor R2(R=300);
    E.Basic.Resistor R3(R=200);
    E.Basic.VCV a(gain=-3);
    E.Basic.Capacitor C(C=5e-5, v(start=0.5, fixed=true));
    E.Sensors.VoltageSensor s;
    E.Basic.Ground g;
  equation
    connect(V.p, R1.p);
    connect(R1.n, R2.p);
    connect(R2.n, a.p2);
    connect(a.p1, R1.n);
    connect(a.n1, g.p);
    connect(a.n2, g.p);
    connect(R3.p, a.p2);
    connect(R3.n, C.p);
    connect(C.n, g.p);
    connect(s.p, C.p);
    connect(s.n, g.p);
    connect(V.n, g.p);
    annotation(experiment(StopTime=0.3));
  end E16;
end Graphs;
