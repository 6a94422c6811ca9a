within Modelica.Blocks;
package MathBoolean "Logic with any number of inputs"
  block MultiSwitch "Boolean expression of the first true input"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    input Boolean expr[nu] = fill(false, nu) "Output while the input of the same number is the first true one";
    parameter Boolean use_pre_as_default = true "Keep the last output when no input is true";
    parameter Boolean y_default = false "Output when no input is true";
    Interfaces.BooleanVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    Integer firstActiveIndex = Modelica.Math.BooleanVectors.firstTrueIndex(u) "Number of the first true input, or 0";
  initial equation
    pre(y) = y_default;
  equation
    y = if firstActiveIndex > 0 then
        Modelica.Math.BooleanVectors.anyTrue({firstActiveIndex == i and expr[i] for i in 1:nu})
      elseif use_pre_as_default then pre(y) else y_default;
  end MultiSwitch;

  block And "True when all inputs are true"
    extends Interfaces.PartialBooleanMISO;
  equation
    y = Modelica.Math.BooleanVectors.andTrue(u);
  end And;

  block Or "True when an input is true"
    extends Interfaces.PartialBooleanMISO;
  equation
    y = Modelica.Math.BooleanVectors.anyTrue(u);
  end Or;

  block Xor "True when exactly one input is true"
    extends Interfaces.PartialBooleanMISO;
  equation
    y = Modelica.Math.BooleanVectors.oneTrue(u);
  end Xor;

  block Nand "False when all inputs are true"
    extends Interfaces.PartialBooleanMISO;
  equation
    y = not Modelica.Math.BooleanVectors.andTrue(u);
  end Nand;

  block Nor "True when no input is true"
    extends Interfaces.PartialBooleanMISO;
  equation
    y = not Modelica.Math.BooleanVectors.anyTrue(u);
  end Nor;

  block Not "Opposite of the input"
    extends Interfaces.PartialBooleanSISO_small;
  equation
    y = not u;
  end Not;

  block RisingEdge "True when the input becomes true"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.PartialBooleanSISO_small;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = edge(u);
  end RisingEdge;

  block FallingEdge "True when the input becomes false"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.PartialBooleanSISO_small;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = pre(u) and not u;
  end FallingEdge;

  block ChangingEdge "True when the input changes"
    parameter Boolean pre_u_start = false "Input before the start";
    extends Interfaces.PartialBooleanSISO_small;
  initial equation
    pre(u) = pre_u_start;
  equation
    y = change(u);
  end ChangingEdge;

  block OnDelay "Follows a rising edge later, a falling edge at once"
    extends Interfaces.PartialBooleanSISO_small;
    parameter SI.Time delayTime "Delay of the rising edge";
  protected
    discrete SI.Time earliest "Time at which the output may become true";
  initial equation
    pre(u) = u;
    pre(earliest) = time;
  equation
    when u then
      earliest = time + delayTime;
    end when;
    y = u and time >= earliest;
  end OnDelay;
end MathBoolean;
