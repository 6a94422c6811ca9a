// Switches that change at 0.5 s in series with 1 Ohm at 1 V: the integral of the current is the time they are closed.
model Switches
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=1);
  Sources.StepVoltage level(V=1, startTime=0.5);
  Basic.Ground ground;
  Ideal.IdealClosingSwitch closing;
  Ideal.IdealOpeningSwitch opening;
  Ideal.ControlledIdealClosingSwitch controlledClosing;
  Ideal.ControlledIdealOpeningSwitch controlledOpening;
  Ideal.IdealTwoWaySwitch twoWay;
  Ideal.ControlledIdealTwoWaySwitch controlledTwoWay;
  Ideal.IdealIntermediateSwitch intermediate;
  Ideal.ControlledIdealIntermediateSwitch controlledIntermediate;
  Ideal.Idle idle;
  Ideal.Short short;
  Basic.Resistor r[14](each R=1);
  Real q[14](each start=0, each fixed=true);
  parameter Real expected[14] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 1};
  Boolean late = time > 0.5;
equation
  closing.control = late; opening.control = late; twoWay.control = late; intermediate.control = late;
  connect(v.n, ground.p); connect(level.n, ground.p);
  connect(level.p, controlledClosing.control); connect(level.p, controlledOpening.control);
  connect(level.p, controlledTwoWay.control); connect(level.p, controlledIntermediate.control);
  connect(v.p, closing.p); connect(closing.n, r[1].p); connect(v.p, opening.p); connect(opening.n, r[2].p);
  connect(v.p, controlledClosing.p); connect(controlledClosing.n, r[3].p);
  connect(v.p, controlledOpening.p); connect(controlledOpening.n, r[4].p);
  connect(v.p, twoWay.p); connect(twoWay.n1, r[5].p); connect(twoWay.n2, r[6].p);
  connect(v.p, controlledTwoWay.p); connect(controlledTwoWay.n1, r[7].p); connect(controlledTwoWay.n2, r[8].p);
  connect(v.p, intermediate.p1); connect(intermediate.p2, ground.p); connect(intermediate.n1, r[9].p); connect(intermediate.n2, r[10].p);
  connect(v.p, controlledIntermediate.p1); connect(controlledIntermediate.p2, ground.p);
  connect(controlledIntermediate.n1, r[11].p); connect(controlledIntermediate.n2, r[12].p);
  connect(v.p, idle.p); connect(idle.n, r[13].p); connect(v.p, short.p); connect(short.n, r[14].p);
  for k in 1:14 loop
    connect(r[k].n, ground.p);
    der(q[k]) = r[k].i;
  end for;
  when terminal() then
    for k in 1:14 loop
      assert(abs(q[k] - expected[k]) < 1e-4, "charge through resistor " + String(k));
    end for;
  end when;
end Switches;
