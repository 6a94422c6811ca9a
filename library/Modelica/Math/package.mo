within Modelica;
package Math "Elementary functions, vectors and matrices"
  function isEqual "Whether two Reals are equal up to a tolerance"
    input Real s1 "First number";
    input Real s2 "Second number";
    input Real eps(min=0) = 0 "Tolerance";
    output Boolean result "|s1 - s2| <= eps";
  algorithm
    result := abs(s1 - s2) <= eps;
    annotation(Inline=true);
  end isEqual;

  function isPowerOf2 "Whether an Integer is a power of two"
    input Integer i(min=1) "Number";
    output Boolean result;
  protected
    Integer k = i;
  algorithm
    while k > 1 and mod(k, 2) == 0 loop
      k := div(k, 2);
    end while;
    result := k == 1;
  end isPowerOf2;

  function sin "Sine"
    input Modelica.Units.SI.Angle u "Argument";
    output Real y "Result";
  external "builtin" y = sin(u);
  end sin;

  function cos "Cosine"
    input Modelica.Units.SI.Angle u "Argument";
    output Real y "Result";
  external "builtin" y = cos(u);
  end cos;

  function tan "Tangent"
    input Modelica.Units.SI.Angle u "Argument";
    output Real y "Result";
  external "builtin" y = tan(u);
  end tan;

  function asin "Inverse sine"
    input Real u "Argument";
    output Modelica.Units.SI.Angle y "Result";
  external "builtin" y = asin(u);
  end asin;

  function acos "Inverse cosine"
    input Real u "Argument";
    output Modelica.Units.SI.Angle y "Result";
  external "builtin" y = acos(u);
  end acos;

  function atan "Inverse tangent"
    input Real u "Argument";
    output Modelica.Units.SI.Angle y "Result";
  external "builtin" y = atan(u);
  end atan;

  function sinh "Hyperbolic sine"
    input Real u "Argument";
    output Real y "Result";
  external "builtin" y = sinh(u);
  end sinh;

  function cosh "Hyperbolic cosine"
    input Real u "Argument";
    output Real y "Result";
  external "builtin" y = cosh(u);
  end cosh;

  function tanh "Hyperbolic tangent"
    input Real u "Argument";
    output Real y "Result";
  external "builtin" y = tanh(u);
  end tanh;

  function exp "Exponential"
    input Real u "Argument";
    output Real y "Result";
  external "builtin" y = exp(u);
  end exp;

  function log "Natural logarithm"
    input Real u "Argument";
    output Real y "Result";
  external "builtin" y = log(u);
  end log;

  function log10 "Logarithm to base 10"
    input Real u "Argument";
    output Real y "Result";
  external "builtin" y = log10(u);
  end log10;

  function atan2 "Angle of the vector (u2, u1)"
    input Real u1 "Ordinate";
    input Real u2 "Abscissa";
    output Modelica.Units.SI.Angle y "Angle in (-pi, pi]";
  external "builtin" y = atan2(u1, u2);
  end atan2;

  function atan3 "Angle of the vector (u2, u1) nearest to a given angle"
    input Real u1 "Ordinate";
    input Real u2 "Abscissa";
    input Modelica.Units.SI.Angle y0 = 0 "Wanted neighbourhood";
    output Modelica.Units.SI.Angle y "Angle in (y0 - pi, y0 + pi]";
  protected
    constant Real turn = 2*Modelica.Constants.pi;
    Real w;
  algorithm
    w := Math.atan2(u1, u2);
    y := if y0 == 0 then w else w + turn*floor((y0 - w)/turn + 0.5);
  end atan3;

  function asinh "Inverse hyperbolic sine"
    input Real u "Argument";
    output Real y "Result";
  algorithm
    y := log(u + sqrt(u^2 + 1));
    annotation(Inline=true);
  end asinh;

  function acosh "Inverse hyperbolic cosine"
    input Real u(min=1) "Argument";
    output Real y "Result";
  algorithm
    y := log(u + sqrt(u - 1)*sqrt(u + 1));
    annotation(Inline=true);
  end acosh;

  function wrapAngle "Angle brought into one turn"
    input Modelica.Units.SI.Angle u "Angle";
    input Boolean positiveRange = false "Result in [0, 2 pi) rather than (-pi, pi]";
    output Modelica.Units.SI.Angle y "Angle of the same direction";
  protected
    constant Real turn = 2*Modelica.Constants.pi;
  algorithm
    y := if positiveRange then u - turn*floor(u/turn) else u - turn*ceil(u/turn - 0.5);
  end wrapAngle;
end Math;
