within Ferrica;
package Functions "Functions that several components share"
  import Modelica.Blocks.Types.Smoothness;

  function characteristic "A column of a table over the table's first column"
    input Real table[:, :] "Rows with rising first column";
    input Integer column "Column of the result";
    input Real x "Where to interpolate; beyond the ends the outer segments go on";
    input Smoothness smoothness "Interpolation";
    output Real y "Interpolated value";
  protected
    Integer n = size(table, 1) "Number of rows";
  algorithm
    assert(smoothness == Smoothness.LinearSegments or smoothness == Smoothness.ConstantSegments
      or smoothness == Smoothness.ContinuousDerivative,
      "Characteristics are interpolated by linear segments, constant segments or with continuous derivative only");
    y := table[1, column];
    if smoothness == Smoothness.ConstantSegments then
      for k in 2:n loop
        y := if x >= table[k, 1] then table[k, column] else y;
      end for;
    else
      for k in 1:n - 1 loop
        if k == 1 or x >= table[k, 1] then
          y := if smoothness == Smoothness.LinearSegments or n == 2 then straight(table, column, k, x)
            else cubic(table, column, k, x);
        end if;
      end for;
    end if;
  end characteristic;

  function straight "Line through rows k and k + 1 of a table"
    input Real table[:, :] "Rows with rising first column";
    input Integer column "Column of the result";
    input Integer k "Row";
    input Real x "Where to interpolate";
    output Real y "Value";
  algorithm
    y := table[k, column]
      + (x - table[k, 1])*(table[k + 1, column] - table[k, column])/(table[k + 1, 1] - table[k, 1]);
  end straight;

  function cubic "Cubic through rows k and k + 1 of a table with Akima's slopes, straight beyond"
    input Real table[:, :] "Rows with rising first column";
    input Integer column "Column of the result";
    input Integer k "Row";
    input Real x "Where to interpolate";
    output Real y "Value";
  protected
    Real h "Length of the segment";
    Real t "Place in the segment, 0..1";
    Real m0 "Slope at row k";
    Real m1 "Slope at row k + 1";
  algorithm
    h := table[k + 1, 1] - table[k, 1];
    t := (x - table[k, 1])/h;
    m0 := akimaSlope(table, column, k);
    m1 := akimaSlope(table, column, k + 1);
    y := if t < 0 then table[k, column] + m0*h*t
      elseif t > 1 then table[k + 1, column] + m1*h*(t - 1)
      else (1 + 2*t)*(1 - t)^2*table[k, column] + t^2*(3 - 2*t)*table[k + 1, column]
        + h*t*(1 - t)*((1 - t)*m0 - t*m1);
  end cubic;

  function akimaSlope "Slope at a row of a table by Akima's rule"
    input Real table[:, :] "Rows with rising first column";
    input Integer column "Column of the values";
    input Integer k "Row";
    output Real m "Slope";
  protected
    Integer n = size(table, 1) "Number of rows";
    Real d[4] "Slopes of the two segments before and the two after the row";
    Integer j "Segment";
    Real a "Change of slope before the row";
    Real b "Change of slope after the row";
  algorithm
    for i in 1:4 loop
      j := k + i - 3;
      if j >= 1 and j <= n - 1 then
        d[i] := (table[j + 1, column] - table[j, column])/(table[j + 1, 1] - table[j, 1]);
      else
        d[i] := 0;
      end if;
    end for;
    // Beyond the ends the slopes go on linearly.
    if k == 1 then
      d[2] := 2*d[3] - d[4];
      d[1] := 2*d[2] - d[3];
    elseif k == 2 then
      d[1] := 2*d[2] - d[3];
    end if;
    if k == n then
      d[3] := 2*d[2] - d[1];
      d[4] := 2*d[3] - d[2];
    elseif k == n - 1 then
      d[4] := 2*d[3] - d[2];
    end if;
    a := abs(d[2] - d[1]);
    b := abs(d[4] - d[3]);
    m := if a + b > 1e-12*(abs(d[2]) + abs(d[3])) then (b*d[2] + a*d[3])/(a + b) else (d[2] + d[3])/2;
  end akimaSlope;

  function motion "Position whose time derivatives are given by signals"
    input Real t "Time";
    input Real s "Position";
    input Real v "Velocity";
    input Real a "Acceleration";
    output Real y "Position";
  algorithm
    y := s;
    annotation(derivative(noDerivative=s, noDerivative=v, noDerivative=a)=motion_der);
  end motion;

  function motion_der "Velocity of motion"
    input Real t "Time";
    input Real s "Position";
    input Real v "Velocity";
    input Real a "Acceleration";
    input Real t_der "Derivative of time, 1";
    output Real y "Velocity";
  algorithm
    y := v*t_der;
    annotation(derivative(noDerivative=s, noDerivative=v, noDerivative=a, order=2)=motion_der2);
  end motion_der;

  function motion_der2 "Acceleration of motion"
    input Real t "Time";
    input Real s "Position";
    input Real v "Velocity";
    input Real a "Acceleration";
    input Real t_der "Derivative of time, 1";
    input Real t_der2 "Second derivative of time, 0";
    output Real y "Acceleration";
  algorithm
    y := a*t_der;
  end motion_der2;

  function bearingShare "Bearing friction on the side of flange_a, from the friction seen in both directions of power"
    input Real eta1 "Efficiency of the teeth, flange_a drives";
    input Real eta2 "Efficiency of the teeth, flange_b drives";
    input Real tau1 "Bearing friction at flange_a, flange_a drives: eta1*tau_a + tau_b/ratio";
    input Real tau2 "Bearing friction at flange_a, flange_b drives: tau_a/eta2 + tau_b/ratio";
    output Real tau_a "Friction on the side of flange_a";
  algorithm
    // Without losses in the teeth the two equations are the same: half on each side then.
    if abs(eta1 - 1) < Modelica.Constants.eps and abs(eta2 - 1) < Modelica.Constants.eps then
      tau_a := tau1/2;
    else
      tau_a := (tau1 - tau2)/(eta1 - 1/eta2);
    end if;
  end bearingShare;
end Functions;
