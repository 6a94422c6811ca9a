within Modelica.Blocks;
package Routing "Combine and split signals"
  block Replicator "One Real signal, many times"
    extends Interfaces.SIMO;
  equation
    y = fill(u, nout);
  end Replicator;

  block IntegerReplicator "One Integer signal, many times"
    extends Icons.IntegerBlock;
    parameter Integer nout = 1 "Number of outputs";
    Interfaces.IntegerInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.IntegerOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = fill(u, nout);
  end IntegerReplicator;

  block BooleanReplicator "One Boolean signal, many times"
    extends Icons.BooleanBlock;
    parameter Integer nout = 1 "Number of outputs";
    Interfaces.BooleanInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.BooleanOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = fill(u, nout);
  end BooleanReplicator;

  block ExtractSignal "Selected elements of a vector"
    extends Interfaces.MIMO;
    parameter Integer extract[nout] = 1:nout "Numbers of the elements";
  equation
    for i in 1:nout loop
      y[i] = u[extract[i]];
    end for;
  end ExtractSignal;

  block Extractor "Element of a vector by a changing number"
    extends Interfaces.MISO;
    parameter Boolean allowOutOfRange = false "A number without element is no error";
    parameter Real outOfRangeValue = 1e10 "Output for a number without element";
    Interfaces.IntegerInput index "Number of the element"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  protected
    Boolean inRange = index >= 1 and index <= nin "There is such an element";
  equation
    assert(allowOutOfRange or inRange, "Extractor: index is out of range");
    y = if inRange or not allowOutOfRange then sum((if index == i then u[i] else 0) for i in 1:nin)
      else outOfRangeValue;
  end Extractor;

  block Multiplex "Signals to a vector"
    extends Icons.Block;
    parameter Integer n(min=0) = 0 "Number of signals" annotation(Dialog(connectorSizing=true));
    Interfaces.RealVectorInput u[n] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y[n + 0] "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = u;
  end Multiplex;

  block Multiplex2 "Two vectors to one"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of u1";
    parameter Integer n2 = 1 "Size of u2";
    Interfaces.RealInput u1[n1] "Input 1"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2[n2] "Input 2"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealOutput y[n1 + n2] "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = cat(1, u1, u2);
  end Multiplex2;

  block Multiplex3 "Three vectors to one"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of u1";
    parameter Integer n2 = 1 "Size of u2";
    parameter Integer n3 = 1 "Size of u3";
    Interfaces.RealInput u1[n1] "Input 1"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2[n2] "Input 2"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealInput u3[n3] "Input 3"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealOutput y[n1 + n2 + n3] "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = cat(1, u1, u2, u3);
  end Multiplex3;

  block Multiplex4 "Four vectors to one"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of u1";
    parameter Integer n2 = 1 "Size of u2";
    parameter Integer n3 = 1 "Size of u3";
    parameter Integer n4 = 1 "Size of u4";
    Interfaces.RealInput u1[n1] "Input 1"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2[n2] "Input 2"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealInput u3[n3] "Input 3"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealInput u4[n4] "Input 4"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealOutput y[n1 + n2 + n3 + n4] "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = cat(1, u1, u2, u3, u4);
  end Multiplex4;

  block Multiplex5 "Five vectors to one"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of u1";
    parameter Integer n2 = 1 "Size of u2";
    parameter Integer n3 = 1 "Size of u3";
    parameter Integer n4 = 1 "Size of u4";
    parameter Integer n5 = 1 "Size of u5";
    Interfaces.RealInput u1[n1] "Input 1"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2[n2] "Input 2"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealInput u3[n3] "Input 3"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealInput u4[n4] "Input 4"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput u5[n5] "Input 5"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealOutput y[n1 + n2 + n3 + n4 + n5] "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = cat(1, u1, u2, u3, u4, u5);
  end Multiplex5;

  block Multiplex6 "Six vectors to one"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of u1";
    parameter Integer n2 = 1 "Size of u2";
    parameter Integer n3 = 1 "Size of u3";
    parameter Integer n4 = 1 "Size of u4";
    parameter Integer n5 = 1 "Size of u5";
    parameter Integer n6 = 1 "Size of u6";
    Interfaces.RealInput u1[n1] "Input 1"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    Interfaces.RealInput u2[n2] "Input 2"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    Interfaces.RealInput u3[n3] "Input 3"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealInput u4[n4] "Input 4"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
    Interfaces.RealInput u5[n5] "Input 5"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Interfaces.RealInput u6[n6] "Input 6"
      annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
    Interfaces.RealOutput y[n1 + n2 + n3 + n4 + n5 + n6] "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = cat(1, u1, u2, u3, u4, u5, u6);
  end Multiplex6;

  block DeMultiplex "Vector to signals"
    extends Icons.Block;
    parameter Integer n(min=0) = 0 "Number of signals" annotation(Dialog(connectorSizing=true));
    Interfaces.RealInput u[n + 0] "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealVectorOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = u;
  end DeMultiplex;

  block DeMultiplex2 "One vector to two"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of y1";
    parameter Integer n2 = 1 "Size of y2";
    Interfaces.RealInput u[n1 + n2] "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y1[n1] "Output 1"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.RealOutput y2[n2] "Output 2"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
  equation
    u = cat(1, y1, y2);
  end DeMultiplex2;

  block DeMultiplex3 "One vector to three"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of y1";
    parameter Integer n2 = 1 "Size of y2";
    parameter Integer n3 = 1 "Size of y3";
    Interfaces.RealInput u[n1 + n2 + n3] "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y1[n1] "Output 1"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.RealOutput y2[n2] "Output 2"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
    Interfaces.RealOutput y3[n3] "Output 3"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
  equation
    u = cat(1, y1, y2, y3);
  end DeMultiplex3;

  block DeMultiplex4 "One vector to four"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of y1";
    parameter Integer n2 = 1 "Size of y2";
    parameter Integer n3 = 1 "Size of y3";
    parameter Integer n4 = 1 "Size of y4";
    Interfaces.RealInput u[n1 + n2 + n3 + n4] "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y1[n1] "Output 1"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.RealOutput y2[n2] "Output 2"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
    Interfaces.RealOutput y3[n3] "Output 3"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y4[n4] "Output 4"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
  equation
    u = cat(1, y1, y2, y3, y4);
  end DeMultiplex4;

  block DeMultiplex5 "One vector to five"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of y1";
    parameter Integer n2 = 1 "Size of y2";
    parameter Integer n3 = 1 "Size of y3";
    parameter Integer n4 = 1 "Size of y4";
    parameter Integer n5 = 1 "Size of y5";
    Interfaces.RealInput u[n1 + n2 + n3 + n4 + n5] "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y1[n1] "Output 1"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.RealOutput y2[n2] "Output 2"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
    Interfaces.RealOutput y3[n3] "Output 3"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y4[n4] "Output 4"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    Interfaces.RealOutput y5[n5] "Output 5"
      annotation(Placement(transformation(extent={{100,25},{120,45}})));
  equation
    u = cat(1, y1, y2, y3, y4, y5);
  end DeMultiplex5;

  block DeMultiplex6 "One vector to six"
    extends Icons.Block;
    parameter Integer n1 = 1 "Size of y1";
    parameter Integer n2 = 1 "Size of y2";
    parameter Integer n3 = 1 "Size of y3";
    parameter Integer n4 = 1 "Size of y4";
    parameter Integer n5 = 1 "Size of y5";
    parameter Integer n6 = 1 "Size of y6";
    Interfaces.RealInput u[n1 + n2 + n3 + n4 + n5 + n6] "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.RealOutput y1[n1] "Output 1"
      annotation(Placement(transformation(extent={{100,50},{120,70}})));
    Interfaces.RealOutput y2[n2] "Output 2"
      annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
    Interfaces.RealOutput y3[n3] "Output 3"
      annotation(Placement(transformation(extent={{100,60},{120,80}})));
    Interfaces.RealOutput y4[n4] "Output 4"
      annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    Interfaces.RealOutput y5[n5] "Output 5"
      annotation(Placement(transformation(extent={{100,25},{120,45}})));
    Interfaces.RealOutput y6[n6] "Output 6"
      annotation(Placement(transformation(extent={{100,-45},{120,-25}})));
  equation
    u = cat(1, y1, y2, y3, y4, y5, y6);
  end DeMultiplex6;

  block RealPassThrough "Real signal, unchanged"
    extends Interfaces.SISO;
  equation
    y = u;
  end RealPassThrough;

  block IntegerPassThrough "Integer signal, unchanged"
    extends Icons.IntegerBlock;
    Interfaces.IntegerInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    Interfaces.IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  equation
    y = u;
  end IntegerPassThrough;

  block BooleanPassThrough "Boolean signal, unchanged"
    extends Interfaces.BooleanSISO;
  equation
    y = u;
  end BooleanPassThrough;
end Routing;
