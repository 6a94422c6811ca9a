within Modelica;
package ComplexMath "Functions of complex numbers"
  final constant Complex j = Complex(0, 1) "Imaginary unit";

  package Vectors "Functions of complex vectors"
    function norm "p-norm"
      input Complex v[:] "Vector";
      input Real p(min=1) = 2 "Kind of norm";
      output Real result "Norm";
    algorithm
      result := Math.Vectors.norm({ComplexMath.abs(v[i]) for i in 1:size(v, 1)}, p);
    end norm;

    function length "Euclidean length"
      input Complex v[:] "Vector";
      output Real result "Length";
    algorithm
      result := Math.Vectors.length({ComplexMath.abs(v[i]) for i in 1:size(v, 1)});
      annotation(Inline=true);
    end length;

    function normalize "Vector of length 1"
      input Complex v[:] "Vector";
      input Real eps = 100*Modelica.Constants.eps "Shorter vectors are divided by this";
      output Complex result[size(v, 1)] "Normalized vector";
    protected
      Real d = if length(v) > eps then length(v) else eps;
    algorithm
      for i in 1:size(v, 1) loop
        result[i] := Complex(v[i].re/d, v[i].im/d);
      end for;
    end normalize;

    function reverse "Elements in opposite order"
      input Complex v[:] "Vector";
      output Complex result[size(v, 1)] "Reversed vector";
    algorithm
      result := {v[size(v, 1) + 1 - i] for i in 1:size(v, 1)};
    end reverse;

    function sort "Elements by frequency or length"
      input Complex v[:] "Vector";
      input Boolean ascending = true "Smallest first";
      input Boolean sortFrequency = true "By imaginary, then real part; otherwise by length";
      output Complex sorted_v[size(v, 1)] "Sorted vector";
      output Integer indices[size(v, 1)] "sorted_v = v[indices]";
    protected
      Integer n = size(v, 1);
      Complex c;
      Integer i;
      Boolean before;
      Integer k;
    algorithm
      sorted_v := v;
      indices := 1:n;
      for m in 2:n loop
        c := sorted_v[m];
        k := indices[m];
        i := m - 1;
        before := true;
        while before loop
          before := if i < 1 then false
            elseif sortFrequency then
              (if ascending then c.im < sorted_v[i].im or c.im == sorted_v[i].im and c.re < sorted_v[i].re
               else c.im > sorted_v[i].im or c.im == sorted_v[i].im and c.re > sorted_v[i].re)
            else (if ascending then ComplexMath.abs(c) < ComplexMath.abs(sorted_v[i])
               else ComplexMath.abs(c) > ComplexMath.abs(sorted_v[i]));
          if before then
            sorted_v[i + 1] := sorted_v[i];
            indices[i + 1] := indices[i];
            i := i - 1;
          end if;
        end while;
        sorted_v[i + 1] := c;
        indices[i + 1] := k;
      end for;
    end sort;
  end Vectors;

  function sin "Sine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(Math.sin(c1.re)*Math.cosh(c1.im), Math.cos(c1.re)*Math.sinh(c1.im));
    annotation(Inline=true);
  end sin;

  function cos "Cosine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(Math.cos(c1.re)*Math.cosh(c1.im), -Math.sin(c1.re)*Math.sinh(c1.im));
    annotation(Inline=true);
  end cos;

  function tan "Tangent"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := ComplexMath.sin(c1)/ComplexMath.cos(c1);
    annotation(Inline=true);
  end tan;

  function asin "Inverse sine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := -j*ComplexMath.log(j*c1 + ComplexMath.sqrt(Complex(1, 0) - c1*c1));
    annotation(Inline=true);
  end asin;

  function acos "Inverse cosine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(Modelica.Constants.pi/2, 0) - ComplexMath.asin(c1);
    annotation(Inline=true);
  end acos;

  function atan "Inverse tangent"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(0, 0.5)*ComplexMath.log((j + c1)/(j - c1));
    annotation(Inline=true);
  end atan;

  function sinh "Hyperbolic sine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(Math.sinh(c1.re)*Math.cos(c1.im), Math.cosh(c1.re)*Math.sin(c1.im));
    annotation(Inline=true);
  end sinh;

  function cosh "Hyperbolic cosine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(Math.cosh(c1.re)*Math.cos(c1.im), Math.sinh(c1.re)*Math.sin(c1.im));
    annotation(Inline=true);
  end cosh;

  function tanh "Hyperbolic tangent"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := ComplexMath.sinh(c1)/ComplexMath.cosh(c1);
    annotation(Inline=true);
  end tanh;

  function asinh "Inverse hyperbolic sine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := ComplexMath.log(c1 + ComplexMath.sqrt(c1*c1 + Complex(1, 0)));
    annotation(Inline=true);
  end asinh;

  function acosh "Inverse hyperbolic cosine"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := ComplexMath.log(c1 + ComplexMath.sqrt(c1 + Complex(1, 0))*ComplexMath.sqrt(c1 - Complex(1, 0)));
    annotation(Inline=true);
  end acosh;

  function atanh "Inverse hyperbolic tangent"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(0.5, 0)*ComplexMath.log((Complex(1, 0) + c1)/(Complex(1, 0) - c1));
    annotation(Inline=true);
  end atanh;

  function exp "Exponential"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := ComplexMath.fromPolar(Math.exp(c1.re), c1.im);
    annotation(Inline=true);
  end exp;

  function log "Natural logarithm"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := Complex(Math.log(ComplexMath.abs(c1)), ComplexMath.arg(c1));
    annotation(Inline=true);
  end log;

  function abs "Length"
    input Complex c "Number";
    output Real result "Length";
  algorithm
    result := (c.re^2 + c.im^2)^0.5;
    annotation(Inline=true);
  end abs;

  function arg "Angle"
    input Complex c "Number";
    input Modelica.Units.SI.Angle phi0 = 0 "The angle nearest to this one is returned";
    output Modelica.Units.SI.Angle phi "Angle";
  algorithm
    phi := Math.atan3(c.im, c.re, phi0);
    annotation(Inline=true);
  end arg;

  function conj "Conjugate"
    input Complex c1 "Number";
    output Complex c2 "Conjugate";
  algorithm
    c2 := Complex(c1.re, -c1.im);
    annotation(Inline=true);
  end conj;

  function real "Real part"
    input Complex c "Number";
    output Real r "Real part";
  algorithm
    r := c.re;
    annotation(Inline=true);
  end real;

  function imag "Imaginary part"
    input Complex c "Number";
    output Real r "Imaginary part";
  algorithm
    r := c.im;
    annotation(Inline=true);
  end imag;

  function fromPolar "Number from length and angle"
    input Real len "Length";
    input Modelica.Units.SI.Angle phi "Angle";
    output Complex c "Number";
  algorithm
    c := Complex(len*Math.cos(phi), len*Math.sin(phi));
    annotation(Inline=true);
  end fromPolar;

  function sqrt "Square root with non-negative real part"
    input Complex c1 "Argument";
    output Complex c2 "Result";
  algorithm
    c2 := ComplexMath.fromPolar(ComplexMath.abs(c1)^0.5, 0.5*ComplexMath.arg(c1));
    annotation(Inline=true);
  end sqrt;

  function max "Longest element"
    input Complex v[:] "Vector";
    output Complex result "Longest element";
    output Integer index "Its number";
  algorithm
    index := 1;
    for i in 2:size(v, 1) loop
      index := if ComplexMath.abs(v[i]) > ComplexMath.abs(v[index]) then i else index;
    end for;
    result := v[index];
  end max;

  function min "Shortest element"
    input Complex v[:] "Vector";
    output Complex result "Shortest element";
    output Integer index "Its number";
  algorithm
    index := 1;
    for i in 2:size(v, 1) loop
      index := if ComplexMath.abs(v[i]) < ComplexMath.abs(v[index]) then i else index;
    end for;
    result := v[index];
  end min;

  function sum "Sum of the elements"
    input Complex v[:] "Vector";
    output Complex result "Sum";
  algorithm
    result := Complex(0, 0);
    for i in 1:size(v, 1) loop
      result := result + v[i];
    end for;
    annotation(Inline=true);
  end sum;

  function product "Product of the elements"
    input Complex v[:] "Vector";
    output Complex result "Product";
  algorithm
    result := Complex(1, 0);
    for i in 1:size(v, 1) loop
      result := result*v[i];
    end for;
    annotation(Inline=true);
  end product;
end ComplexMath;
