// Damped series circuit without source: R = 2, L = 1, C = 1/5 from v_C = 1: v_C = exp(-t)(cos 2t + sin(2t)/2).
model SeriesRLC
  import Modelica.Electrical.Analog.Basic.*;
  Resistor r(R=2);
  Inductor l(L=1, i(start=0, fixed=true));
  Capacitor c(C=0.2, v(start=1, fixed=true));
  Ground ground;
equation
  connect(c.p, r.p); connect(r.n, l.p); connect(l.n, c.n); connect(c.n, ground.p);
  when time >= 1 then
    assert(abs(c.v - exp(-1)*(cos(2) + 0.5*sin(2))) < 1e-4, "on the way");
  end when;
  when terminal() then
    assert(abs(c.v - exp(-3)*(cos(6) + 0.5*sin(6))) < 1e-4, "SeriesRLC");
  end when;
  annotation(experiment(StopTime=3));
end SeriesRLC;
