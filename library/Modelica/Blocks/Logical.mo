within Modelica.Blocks;
package Logical "Boolean logic, comparisons and switches"
  block And "True when both inputs are true"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = u1 and u2;
  end And;

  block Or "True when an input is true"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = u1 or u2;
  end Or;

  block Xor "True when the inputs differ"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = u1 <> u2;
  end Xor;

  block Nor "True when both inputs are false"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = not (u1 or u2);
  end Nor;

  block Nand "False when both inputs are true"
    extends Interfaces.partialBooleanSI2SO;
  equation
    y = not (u1 and u2);
  end Nand;

  block Not "Opposite of the input"
    extends Interfaces.partialBooleanSISO;
  equation
    y = not u;
  end Not;

  block Pre "Input one event iteration before; breaks algebraic loops of Booleans"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = pre(u);
  end Pre;

  block Edge "True when the input becomes true"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = edge(u);
  end Edge;

  block FallingEdge "True when the input becomes false"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = pre(u) and not u;
  end FallingEdge;

  block Change "True when the input changes"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.partialBooleanSISO;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = change(u);
  end Change;

  block GreaterThreshold "Whether u > threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u > threshold;
  end GreaterThreshold;

  block GreaterEqualThreshold "Whether u >= threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u >= threshold;
  end GreaterEqualThreshold;

  block LessThreshold "Whether u < threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u < threshold;
  end LessThreshold;

  block LessEqualThreshold "Whether u <= threshold"
    extends Interfaces.partialBooleanThresholdComparison;
  equation
    y = u <= threshold;
  end LessEqualThreshold;

  block Greater "Whether u1 > u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 > u2;
  end Greater;

  block GreaterEqual "Whether u1 >= u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 >= u2;
  end GreaterEqual;

  block Less "Whether u1 < u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 < u2;
  end Less;

  block LessEqual "Whether u1 <= u2"
    extends Interfaces.partialBooleanComparison;
  equation
    y = u1 <= u2;
  end LessEqual;

  block ZeroCrossing "True for one instant when the input passes zero"
    extends Interfaces.partialBooleanSO;
    Interfaces.RealInput u "Input";
    Interfaces.BooleanInput enable "Crossings count only while this is true";
  protected
    Boolean u_pos "Enabled and not negative";
  initial equation
    pre(u_pos) = false;
    pre(enable) = false;
  equation
    u_pos = enable and u >= 0;
    y = change(u_pos) and not change(enable);
  end ZeroCrossing;

  block LogicalSwitch "u1 if u2, else u3"
    extends Interfaces.partialBooleanSI3SO;
  equation
    y = if u2 then u1 else u3;
  end LogicalSwitch;

  block Switch "Real input u1 if u2, else u3"
    extends Icons.PartialBooleanBlock;
    Interfaces.RealInput u1 "Input for true";
    Interfaces.BooleanInput u2 "Selects";
    Interfaces.RealInput u3 "Input for false";
    Interfaces.RealOutput y "Output";
  equation
    y = if u2 then u1 else u3;
  end Switch;

  block Hysteresis "True above uHigh, false below uLow, unchanged between"
    extends Icons.PartialBooleanBlock;
    parameter Real uLow(start=0) "Lower limit";
    parameter Real uHigh(start=1) "Upper limit";
    parameter Boolean pre_y_start = false "Output before the start";
    Interfaces.RealInput u "Input";
    Interfaces.BooleanOutput y "Output";
  initial equation
    pre(y) = pre_y_start;
  equation
    assert(uHigh > uLow, "Hysteresis: uHigh must be greater than uLow");
    y = u > uHigh or pre(y) and u >= uLow;
  end Hysteresis;

  block OnOffController "True when the input is too small, with a band around the reference"
    extends Icons.PartialBooleanBlock;
    Interfaces.RealInput reference "Wanted value";
    Interfaces.RealInput u "Actual value";
    Interfaces.BooleanOutput y "Switched on";
    parameter Real bandwidth(start=0.1) "Width of the band";
    parameter Boolean pre_y_start = false "Output before the start";
  initial equation
    pre(y) = pre_y_start;
  equation
    y = u < reference - bandwidth/2 or pre(y) and u < reference + bandwidth/2;
  end OnOffController;

  block TriggeredTrapezoid "Ramp up while the input is true, down while it is false"
    extends Icons.PartialBooleanBlock;
    parameter Real amplitude = 1 "Height";
    parameter SI.Time rising(final min=0) = 0 "Time of a full rise";
    parameter SI.Time falling(final min=0) = rising "Time of a full fall";
    parameter Real offset = 0 "Output while at rest";
    Interfaces.BooleanInput u "Direction";
    Interfaces.RealOutput y "Output";
  protected
    discrete Real endValue "Goal";
    discrete Real slope "Slope towards the goal";
    discrete SI.Time T "Time at which the goal is reached";
  initial equation
    pre(endValue) = if u then offset + amplitude else offset;
    pre(slope) = 0;
    pre(T) = time;
  equation
    when {u, not u} then
      endValue = if u then offset + amplitude else offset;
      slope = if u then (if rising > 0 then amplitude/rising else 0)
        else (if falling > 0 then -amplitude/falling else 0);
      T = if abs(slope) < Modelica.Constants.small then time else time + (endValue - pre(y))/slope;
    end when;
    y = if time < T then endValue - slope*(T - time) else endValue;
  end TriggeredTrapezoid;

  block Timer "Time since the input became true"
    extends Icons.PartialBooleanBlock;
    Interfaces.BooleanInput u "Runs the clock";
    Interfaces.RealOutput y "Time";
  protected
    discrete SI.Time entryTime "Time at which the input became true";
  initial equation
    pre(entryTime) = 0;
  equation
    when u then
      entryTime = time;
    end when;
    y = if u then time - entryTime else 0;
  end Timer;

  block LogicalDelay "Delays falling edges in y1 and rising edges in y2"
    extends Icons.PartialBooleanBlock;
    parameter SI.Time delayTime(final min=0) = 0 "Delay";
    Interfaces.BooleanInput u "Input";
    Interfaces.BooleanOutput y1 "True until the delay after a falling edge";
    Interfaces.BooleanOutput y2 "True from the delay after a rising edge";
  protected
    discrete SI.Time tSwitch "Time of the last change";
    Boolean settled "The delay is over";
  initial equation
    tSwitch = time - 2*delayTime;
  equation
    when {u, not u} then
      tSwitch = time;
    end when;
    settled = time >= tSwitch + delayTime;
    y1 = u or not settled;
    y2 = u and settled;
  end LogicalDelay;

  block RSFlipFlop "Stores one bit: set by S, reset by R"
    extends Icons.PartialBooleanBlock;
    parameter Boolean Qini = false "Stored bit at the start";
    Interfaces.BooleanOutput Q "Stored bit";
    Interfaces.BooleanOutput QI "Opposite of the stored bit";
    Interfaces.BooleanInput S "Set";
    Interfaces.BooleanInput R "Reset";
  protected
    Boolean notQ "Opposite of the stored bit, not delayed";
  initial equation
    pre(notQ) = not Qini;
  equation
    Q = not (R or QI);
    notQ = not (S or Q);
    QI = pre(notQ);
  end RSFlipFlop;

  block AssertCondition "Message or stop when the input becomes false"
    extends Interfaces.partialBooleanSI;
    parameter String message = "" "Message";
    parameter AssertionLevel assertionLevel = AssertionLevel.error "What to do";
  equation
    assert(u, message, assertionLevel);
  end AssertCondition;

  block TerminateSimulation "Ends the simulation when a condition becomes true"
    Interfaces.BooleanOutput condition = false "Condition, given by a modifier";
    parameter String terminationText = "The end condition is true" "Message at the end";
  equation
    when condition then
      terminate(terminationText);
    end when;
  end TerminateSimulation;
end Logical;
