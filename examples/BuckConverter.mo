// The step-down converter with a controller: a sampled PI law sets the on-time of every period so that the
// output stays at 5 V. At 15 ms the load doubles.
// Look for: C1.v dips to 4.4 V when the load steps, rings and returns to 5 V within ten milliseconds; duty rises
// only a little, because the converter runs in continuous operation (5 V / 12 V = 0.42).
model BuckConverter "Controlled step-down converter with a load step"
  parameter Real Ts(unit="s") = 2e-5 "Switching and sampling period";
  parameter Real v_ref(unit="V") = 5 "Wanted output voltage";
  parameter Real kp(unit="1/V") = 0.005 "Proportional gain";
  parameter Real ki(unit="1/(V.s)") = 40 "Integral gain";
  Modelica.Electrical.Analog.Sources.ConstantVoltage supply(V=12);
  Modelica.Electrical.Analog.Ideal.IdealClosingSwitch switch(Ron=1e-3, Goff=1e-6);
  Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-3, Goff=1e-6, Vknee=0);
  Modelica.Electrical.Analog.Basic.Inductor L1(L=1e-4, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=2e-4, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Resistor load(R=5);
  Modelica.Electrical.Analog.Basic.Resistor load2(R=5);
  Modelica.Electrical.Analog.Ideal.IdealClosingSwitch switch2(Ron=1e-3, Goff=1e-6);
  Modelica.Electrical.Analog.Basic.Ground ground;
  discrete Real duty(start=0, fixed=true) "On-time over period";
  discrete Real integral(start=0, fixed=true) "Integral part of the controller";
  discrete Real t_off(start=0, fixed=true) "End of the on-time";
  Boolean on "Gate signal";
equation
  when sample(0, Ts) then
    integral = max(0, min(0.9, pre(integral) + ki*Ts*(v_ref - C1.v)));
    duty = max(0, min(0.9, integral + kp*(v_ref - C1.v)));
    t_off = time + duty*Ts;
  end when;
  on = time < t_off;
  switch.control = on;
  switch2.control = time > 0.015;
  connect(supply.n, ground.p);
  connect(supply.p, switch.p);
  connect(switch.n, L1.p);
  connect(diode.n, L1.p);
  connect(diode.p, ground.p);
  connect(L1.n, C1.p);
  connect(L1.n, load.p);
  connect(L1.n, switch2.p);
  connect(switch2.n, load2.p);
  connect(C1.n, ground.p);
  connect(load.n, ground.p);
  connect(load2.n, ground.p);
  annotation(experiment(StopTime=0.03, Interval=1e-5));
end BuckConverter;
