within Modelica.Blocks;
package MathInteger "Operations on Integer signals"
  block MultiSwitch "Integer expression of the first true input"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    input Integer expr[nu] = fill(0, nu) "Output while the input of the same number is the first true one";
    parameter Integer y_default = 0 "Output when no input is true";
    parameter Boolean use_pre_as_default = true "Keep the last output when no input is true";
    Interfaces.BooleanVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  protected
    Integer firstActiveIndex = Modelica.Math.BooleanVectors.firstTrueIndex(u) "Number of the first true input, or 0";
  initial equation
    pre(y) = y_default;
  equation
    y = if firstActiveIndex > 0 then sum((if firstActiveIndex == i then expr[i] else 0) for i in 1:nu)
      elseif use_pre_as_default then pre(y) else y_default;
  end MultiSwitch;

  block Sum "Weighted sum of Integers"
    extends Interfaces.PartialIntegerMISO;
    parameter Integer k[nu] = fill(1, nu) "Weights";
  equation
    y = sum(k[i]*u[i] for i in 1:nu);
  end Sum;

  block Product "Product of Integers"
    extends Interfaces.PartialIntegerMISO;
  equation
    y = if nu > 0 then product(u) else 0;
  end Product;

  block TriggeredAdd "Adds the input at each rising trigger"
    extends Interfaces.PartialIntegerSISO;
    parameter Boolean use_reset = false "There is a reset input";
    parameter Boolean use_set = false "There is an input for the value after reset";
    parameter Integer y_start = 0 "Start value, and value after reset without set input";
    Interfaces.BooleanInput trigger "A rising edge adds u"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.BooleanInput reset if use_reset "A rising edge resets the output"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.IntegerInput set if use_set "Value after reset"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
  protected
    Interfaces.BooleanOutput local_reset "Reset in use";
    Interfaces.IntegerOutput set_value "Value after reset in use";
  initial equation
    pre(y) = y_start;
  equation
    if use_reset then
      connect(reset, local_reset);
    else
      local_reset = false;
    end if;
    if use_reset and use_set then
      connect(set, set_value);
    else
      set_value = y_start;
    end if;
    when {trigger, local_reset} then
      y = if local_reset then set_value else pre(y) + u;
    end when;
  end TriggeredAdd;
end MathInteger;
