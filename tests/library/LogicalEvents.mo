// Edges, crossings, timers, flip-flop and trapezoid over one input that is true in (0.2, 0.5) and (0.7, 0.8).
model LogicalEvents
  import Modelica.Blocks.Logical.*;
  import B = Modelica.Blocks.MathBoolean;
  Boolean u = time > 0.2 and time < 0.5 or time > 0.7 and time < 0.8;
  Edge edge1;
  FallingEdge falling;
  Change change1;
  Pre pre1;
  B.RisingEdge rising2;
  B.FallingEdge falling2;
  B.ChangingEdge changing2;
  ZeroCrossing zero;
  Timer timer;
  LogicalDelay delay1(delayTime=0.05);
  TriggeredTrapezoid trapezoid(amplitude=2, rising=0.4, falling=0.1, offset=1);
  RSFlipFlop flipFlop;
  AssertCondition fine(message="time is negative");
  Integer n[7](each start=0, each fixed=true);
  Real i[5](each start=0, each fixed=true);
equation
  edge1.u = u; falling.u = u; change1.u = u; pre1.u = u; rising2.u = u; falling2.u = u; changing2.u = u;
  zero.u = sin(10*time); zero.enable = time > 0.1; timer.u = u; delay1.u = u; trapezoid.u = u;
  flipFlop.S = time > 0.25 and time < 0.3; flipFlop.R = time > 0.65 and time < 0.7; fine.u = time >= 0;
  when edge1.y then n[1] = pre(n[1]) + 1; end when;
  when falling.y then n[2] = pre(n[2]) + 1; end when;
  when change1.y then n[3] = pre(n[3]) + 1; end when;
  when rising2.y then n[4] = pre(n[4]) + 1; end when;
  when falling2.y then n[5] = pre(n[5]) + 1; end when;
  when changing2.y then n[6] = pre(n[6]) + 1; end when;
  when zero.y then n[7] = pre(n[7]) + 1; end when;
  der(i) = {timer.y, if delay1.y1 then 1 else 0, if delay1.y2 then 1 else 0, if flipFlop.Q then 1 else 0, if pre1.y then 1 else 0};
  when time >= 0.45 then
    assert(abs(trapezoid.y - (1 + 2*0.25/0.4)) < 1e-5, "TriggeredTrapezoid rises");
    assert(abs(timer.y - 0.25) < 1e-6, "Timer");
    assert(flipFlop.Q and not flipFlop.QI, "RSFlipFlop is set");
  end when;
  when time >= 0.65 then
    assert(abs(trapezoid.y - 1) < 1e-6, "TriggeredTrapezoid is back");
  end when;
  when terminal() then
    assert(n[1] == 2 and n[2] == 2 and n[3] == 4, "edges of Logical");
    assert(n[4] == 2 and n[5] == 2 and n[6] == 4, "edges of MathBoolean");
    assert(n[7] == 3, "ZeroCrossing: at pi/10, 2 pi/10, 3 pi/10");
    assert(abs(i[1] - (0.3^2/2 + 0.1^2/2)) < 1e-5, "Timer");
    assert(abs(i[2] - (0.4 + 0.1)) < 1e-5 and abs(i[3] - (0.4 - 0.1)) < 1e-5, "LogicalDelay");
    assert(abs(i[4] - 0.4) < 1e-5, "RSFlipFlop");
    assert(abs(i[5] - 0.4) < 1e-5, "Pre");
  end when;
end LogicalEvents;
