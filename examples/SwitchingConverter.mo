// A switch that opens and closes 10,000 times a second feeds a filter from 24 V; a diode carries the current
// while the switch is open.
// Look for: the current L1.i falls to zero in each period before the switch closes again (discontinuous
// operation), so the output settles at 15.7 V, above half of the supply.
model SwitchingConverter "Step-down converter without control"
  Modelica.Electrical.Analog.Sources.ConstantVoltage supply(V=24);
  Modelica.Electrical.Analog.Ideal.IdealClosingSwitch switch(Ron=1e-5, Goff=1e-5);
  Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-5, Goff=1e-5, Vknee=0);
  Modelica.Electrical.Analog.Basic.Inductor L1(L=1e-4, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=1e-4, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Resistor load(R=10);
  Modelica.Electrical.Analog.Basic.Ground ground;
  Modelica.Blocks.Sources.BooleanPulse gate(period=1e-4, width=50);
equation
  connect(gate.y, switch.control);
  connect(supply.n, ground.p);
  connect(supply.p, switch.p);
  connect(switch.n, L1.p);
  connect(diode.n, L1.p);
  connect(diode.p, ground.p);
  connect(L1.n, C1.p);
  connect(L1.n, load.p);
  connect(C1.n, ground.p);
  connect(load.n, ground.p);
  annotation(experiment(StopTime=0.01, Interval=1e-6));
end SwitchingConverter;
