// A pump fills a volume until the relief valve opens. The volume is a transmission line: a wave needs the time T
// from end to end, and nothing at one end depends on the other end at the same time.
// Look for: the pressure valve.left.p climbs by 10 MPa/s, the valve opens at 1.000 s, the pressure
// peaks at 10.015 MPa, rings with 132 Hz and settles at 10.0057 MPa. "ferrica check --partitions" shows the cut.
model ReliefValve "Pressure relief valve behind a volume in transmission-line form"
  connector PortQ "Port of a component that gives pressure and flow"
    output Real p(unit="Pa") "Pressure";
    output Real q(unit="m3/s") "Flow into the line";
    input Real c(unit="Pa") "Arriving wave";
    input Real Zc(unit="Pa.s/m3") "Impedance of the line";
  end PortQ;
  connector PortC "Port of a component that gives wave and impedance"
    input Real p(unit="Pa") "Pressure";
    input Real q(unit="m3/s") "Flow into the line";
    output Real c(unit="Pa") "Wave";
    output Real Zc(unit="Pa.s/m3") "Impedance";
  end PortC;
  model Pump "Constant flow"
    PortQ port;
    parameter Real q(unit="m3/s") = 1e-5 "Flow";
  equation
    port.q = q;
    port.p = port.c + port.Zc*port.q;
  end Pump;
  model Tank "Constant pressure"
    PortC port;
    parameter Real p(unit="Pa") = 1e5 "Pressure";
  equation
    port.c = p;
    port.Zc = 0;
  end Tank;
  model Volume "Volume as a line"
    PortC left;
    PortC right;
    parameter Real V(unit="m3") = 1e-3 "Volume";
    parameter Real beta(unit="Pa") = 1e9 "Bulk modulus";
    parameter Real T(unit="s") = 1e-4 "Travelling time";
    parameter Real Zc(unit="Pa.s/m3") = beta*T/V "Impedance";
  equation
    left.Zc = Zc;
    right.Zc = Zc;
    left.c = if time < T then 0 else delay(right.c + 2*Zc*right.q, T);
    right.c = if time < T then 0 else delay(left.c + 2*Zc*left.q, T);
  end Volume;
  model Valve "Spool with spring, damper and mass; a soft stop holds it closed"
    PortQ left;
    PortQ right;
    parameter Real p_open(unit="Pa") = 1e7 "Opening pressure";
    parameter Real cqW(unit="m") = 0.67*0.0025 "Discharge coefficient times area gradient";
    parameter Real area(unit="m2") = 5e-5 "Area that the pressure acts on";
    parameter Real k(unit="N/m") = 150000 "Stiffness of the spring";
    parameter Real d(unit="N.s/m") = 400 "Damping";
    parameter Real m(unit="kg") = 0.12 "Mass of the spool";
    Real x(start=0, fixed=true, unit="m") "Opening";
    Real v(start=0, fixed=true, unit="m/s") "Velocity";
    Boolean closed(start=true, fixed=true) "true: the spool rests on its seat";
    Real K "Flow coefficient";
    Real push(unit="N") "Force of pressure and spring preload";
  equation
    left.p = left.c + left.Zc*left.q;
    right.p = right.c + right.Zc*right.q;
    left.q + right.q = 0;
    K = cqW*noEvent(max(0, x));
    right.q = K*(left.c - right.c)
      /(sqrt(noEvent(abs(left.c - right.c)) + (K*(left.Zc + right.Zc)/2)^2 + 1e-6) + K*(left.Zc + right.Zc)/2);
    push = area*(left.p - p_open);
    der(x) = v;
    m*der(v) = if closed then 0 else push - k*x - d*v;
    when x < 0 then
      closed = true;
      reinit(x, 0);
      reinit(v, 0);
    elsewhen push > 0 then
      closed = false;
    end when;
  end Valve;
  Pump pump;
  Volume volume;
  Valve valve;
  Tank tank;
equation
  connect(pump.port, volume.left);
  connect(valve.left, volume.right);
  connect(valve.right, tank.port);
  annotation(experiment(StopTime=1.2, Interval=1e-4));
end ReliefValve;
