// run: --solver rk4 --step 1e-4
// The wave components reach the same steady states as their acausal twins; orifices and valves in closed form.
model HydraulicWaves "Components with wave ports against closed forms"
  import Ferrica.Hydraulics.TLM.*;
  Sources.PressureSource supply(p=1e7);
  Restrictions.TurbulentOrifice orifice1(A=1e-5);
  Volumes.Volume middle(V=1e-4, T=1e-4);
  Restrictions.TurbulentOrifice orifice2(A=1e-5);
  Sources.Tank tank1;
  Sources.FlowSource flow1(q=1e-4);
  Volumes.MultiVolume tee(n=3, V=1e-3, T=1e-4);
  Restrictions.LaminarOrifice laminar(G=1e-11);
  Sources.Tank tank2;
  Valves.ReliefValve relief(p_set=5e6, q_nom=1e-3, dp_nom=1e6, dp_open=1e6);
  Sources.Tank tank3;
  Sources.FlowSource flow2(q=1e-4);
  Volumes.LossyLine pipe(L=1, D=0.01, rho=1000);
  Restrictions.CheckValve check(p_crack=1e4, q_nom=1e-3, dp_nom=1e5);
  Sources.Tank tank4;
  Sources.FlowSource flow3(q=1e-4);
  Cylinders.DoubleActingCylinder cylinder(A_A=1e-3, A_B=5e-4, stroke=1, d=1000, T=1e-4);
  Sources.Tank tank5;
  Mechanics.Mass mass(m=10);
  Mechanics.FreeEnd free;
  Mechanics.SpeedSource turning;
  Mechanics.Shaft shaft(k=1e3, T=1e-4);
  Mechanics.Inertia inertia(J=0.1, d=1);
  Mechanics.FreeShaft freeShaft;
  Restrictions.LaminarOrifice toTank(G=1e-8);
equation
  connect(orifice1.port_a, supply.port);
  connect(orifice1.port_b, middle.port_a);
  connect(orifice2.port_a, middle.port_b);
  connect(orifice2.port_b, tank1.port);
  connect(flow1.port, tee.port[1]);
  connect(laminar.port_a, tee.port[2]);
  connect(laminar.port_b, tank2.port);
  connect(relief.port_a, tee.port[3]);
  connect(relief.port_b, tank3.port);
  connect(flow2.port, pipe.port_a);
  connect(check.port_a, pipe.port_b);
  connect(check.port_b, tank4.port);
  connect(flow3.port, cylinder.port_A);
  connect(toTank.port_a, cylinder.port_B);
  connect(toTank.port_b, tank5.port);
  connect(mass.port_a, cylinder.rod);
  connect(mass.port_b, free.port);
  turning.w = 10;
  connect(turning.port, shaft.port_a);
  connect(inertia.port_a, shaft.port_b);
  connect(inertia.port_b, freeShaft.port);
  when terminal() then
    assert(abs(orifice2.port_a.p - 5e6) < 50, "Equal orifices halve the pressure");
    assert(abs(orifice2.q - 0.67*1e-5*sqrt(2/870*5e6)) < 1e-8, "Orifice law");
    // Flow 1e-4 = G p + (p - p_set)/dp_open q_nom sqrt(p/dp_nom).
    assert(abs(1e-11*tee.p + (tee.p - 5e6)/1e6*1e-3*sqrt(tee.p/1e6) - 1e-4) < 1e-8, "Relief valve at a tee");
    // Check valve: q = 1e-3 sqrt((dp - 1e4)/1e5) = 1e-4 at dp = 1.1e4; pipe: 128 mu L q/(pi D^4).
    assert(abs(check.port_a.p - 1.1e4) < 20, "Check valve");
    assert(abs(flow2.port.p - check.port_a.p - 128*0.03*1e-4/(Modelica.Constants.pi*1e-8)) < 20, "Loss of the pipe");
    assert(abs(mass.v - 0.1) < 1e-3, "Cylinder speed q/A");
    // The jump of the speed leaves a standing wave of Zc w = 1 N.m in the lossless shaft.
    assert(abs(inertia.w - 10) < 1e-3 and abs(inertia.port_a.tau - 10) < 1.1, "Shaft turns an inertia with friction");
  end when;
  annotation(experiment(StopTime=2, Interval=1e-3));
end HydraulicWaves;
