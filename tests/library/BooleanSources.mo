// Boolean and Integer sources: time during which they are true, and values, by their definitions.
model BooleanSources
  import Modelica.Blocks.Sources.*;
  BooleanConstant k(k=true);
  BooleanStep step(startTime=0.4, startValue=true);
  BooleanPulse pulse(width=25, period=0.4, startTime=0.1);
  BooleanTable table(table={0.2, 0.5, 0.7});
  BooleanExpression expression(y=time > 0.35);
  SampleTrigger trigger(period=0.25, startTime=0.125);
  IntegerConstant ik(k=3);
  IntegerStep istep(height=4, offset=-1, startTime=0.6);
  IntegerTable itable(table=[0, 1; 0.5, 3; 0.75, 2]);
  IntegerExpression iexpression(y=if time > 0.5 then 7 else 6);
  RadioButtonSource button(buttonTimeTable={0.3, 0.6}, reset={time > 0.5});
  Integer n(start=0, fixed=true) "Number of triggers";
  Real i[7](each start=0, each fixed=true);
equation
  when trigger.y then
    n = pre(n) + 1;
  end when;
  der(i) = {if k.y then 1 else 0, if step.y then 1 else 0, if pulse.y then 1 else 0, if table.y then 1 else 0,
    if expression.y then 1 else 0, itable.y, if button.on then 1 else 0};
  when terminal() then
    assert(abs(i[1] - 1) < 1e-6, "BooleanConstant");
    assert(abs(i[2] - 0.4) < 1e-6, "BooleanStep");
    assert(abs(i[3] - 0.3) < 1e-6, "BooleanPulse");
    assert(abs(i[4] - 0.6) < 1e-6, "BooleanTable");
    assert(abs(i[5] - 0.65) < 1e-6, "BooleanExpression");
    assert(abs(i[6] - (0.5 + 0.75 + 0.5)) < 1e-6, "IntegerTable");
    assert(abs(i[7] - (0.2 + 0.4)) < 1e-6, "RadioButtonSource");
    assert(n == 4, "SampleTrigger");
    assert(ik.y == 3 and istep.y == 3 and iexpression.y == 7, "Integer sources");
  end when;
end BooleanSources;
