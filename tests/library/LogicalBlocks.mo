// Truth tables over all four combinations of two inputs, and comparisons of a ramp: times during which they are true.
model LogicalBlocks
  import Modelica.Blocks.Logical.*;
  Boolean a = time > 0.5;
  Boolean b = time > 0.25 and time < 0.5 or time > 0.75 "a, b: 00, 01, 10, 11 in quarters";
  And and1;
  Or or1;
  Xor xor1;
  Nor nor1;
  Nand nand1;
  Not not1;
  LogicalSwitch lswitch;
  Switch switch1;
  GreaterThreshold gt(threshold=0.3);
  GreaterEqualThreshold ge(threshold=0.3);
  LessThreshold lt(threshold=0.3);
  LessEqualThreshold le(threshold=0.3);
  Greater g2;
  GreaterEqual ge2;
  Less l2;
  LessEqual le2;
  Hysteresis hysteresis(uLow=0.2, uHigh=0.6);
  OnOffController onOff(bandwidth=0.2);
  Modelica.Blocks.MathBoolean.And and3(nu=3);
  Modelica.Blocks.MathBoolean.Or or3(nu=3);
  Modelica.Blocks.MathBoolean.Xor xor3(nu=3);
  Modelica.Blocks.MathBoolean.Nand nand3(nu=3);
  Modelica.Blocks.MathBoolean.Nor nor3(nu=3);
  Modelica.Blocks.MathBoolean.Not not3;
  Modelica.Blocks.MathBoolean.OnDelay onDelay(delayTime=0.1);
  Modelica.Blocks.MathBoolean.MultiSwitch multi(nu=2, expr={false, true});
  Real i[25](each start=0, each fixed=true) "Times of truth";
  Boolean y[25] = {and1.y, or1.y, xor1.y, nor1.y, nand1.y, not1.y, lswitch.y, gt.y, ge.y, lt.y, le.y, g2.y, ge2.y, l2.y,
    le2.y, hysteresis.y, onOff.y, and3.y, or3.y, xor3.y, nand3.y, nor3.y, not3.y, onDelay.y, multi.y};
  parameter Real expected[25] = {0.25, 0.75, 0.5, 0.25, 0.75, 0.5, 0.5, 0.7, 0.7, 0.3, 0.3, 0.5, 0.5, 0.5,
    0.5, 0.5, 0.6, 0.25, 0.75, 0.5, 0.75, 0.25, 0.5, 0.3, 0.25};
  Real triangle = if time < 0.5 then 2*time else 2 - 2*time;
equation
  and1.u1 = a; and1.u2 = b; or1.u1 = a; or1.u2 = b; xor1.u1 = a; xor1.u2 = b; nor1.u1 = a; nor1.u2 = b;
  nand1.u1 = a; nand1.u2 = b; not1.u = a;
  lswitch.u1 = b; lswitch.u2 = a; lswitch.u3 = not b;
  switch1.u1 = 3; switch1.u2 = a; switch1.u3 = -3;
  gt.u = time; ge.u = time; lt.u = time; le.u = time;
  g2.u1 = time; g2.u2 = 0.5; ge2.u1 = time; ge2.u2 = 0.5; l2.u1 = time; l2.u2 = 0.5; le2.u1 = time; le2.u2 = 0.5;
  hysteresis.u = triangle "true from 0.3 to 0.9, minus nothing";
  onOff.reference = 0.5; onOff.u = time;
  and3.u = {a, b, true}; or3.u = {a, b, false}; xor3.u = {a, b, false}; nand3.u = {a, b, true}; nor3.u = {a, b, false};
  not3.u = a; onDelay.u = b; multi.u = {a and b, a};
  for k in 1:25 loop
    der(i[k]) = if y[k] then 1 else 0;
  end for;
  when time >= 0.4 then
    assert(abs(switch1.y - (-3)) < 1e-9, "Switch, false");
  end when;
  when terminal() then
    for k in 1:25 loop
      if k <> 16 then
        assert(abs(i[k] - expected[k]) < 1e-5, "time of truth of block " + String(k));
      end if;
    end for;
    assert(abs(i[16] - 0.6) < 1e-5, "Hysteresis");
    assert(abs(switch1.y - (3)) < 1e-9, "Switch, true");
  end when;
end LogicalBlocks;
