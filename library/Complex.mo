operator record Complex "Complex number"
  replaceable Real re "Real part";
  replaceable Real im "Imaginary part";

  encapsulated operator 'constructor' "Complex number from its parts"
    function fromReal "From real and imaginary part"
      import Complex;
      input Real re "Real part";
      input Real im = 0 "Imaginary part";
      output Complex result(re=re, im=im) "re + j im";
    algorithm
      annotation(Inline=true);
    end fromReal;
  end 'constructor';

  encapsulated operator function '0' "Neutral element of the addition"
    import Complex;
    output Complex result "0";
  algorithm
    result := Complex(0, 0);
    annotation(Inline=true);
  end '0';

  encapsulated operator '-' "Difference and opposite"
    function negate "Opposite"
      import Complex;
      input Complex c1 "Number";
      output Complex c2 "-c1";
    algorithm
      c2 := Complex(-c1.re, -c1.im);
      annotation(Inline=true);
    end negate;

    function subtract "Difference"
      import Complex;
      input Complex c1 "First number";
      input Complex c2 "Second number";
      output Complex c3 "c1 - c2";
    algorithm
      c3 := Complex(c1.re - c2.re, c1.im - c2.im);
      annotation(Inline=true);
    end subtract;
  end '-';

  encapsulated operator '*' "Products"
    function multiply "Product"
      import Complex;
      input Complex c1 "First number";
      input Complex c2 "Second number";
      output Complex c3 "c1*c2";
    algorithm
      c3 := Complex(c1.re*c2.re - c1.im*c2.im, c1.re*c2.im + c1.im*c2.re);
      annotation(Inline=true);
    end multiply;

    function scalarProduct "Sum of the products of the elements"
      import Complex;
      input Complex c1[:] "First vector";
      input Complex c2[size(c1, 1)] "Second vector";
      output Complex c3 "c1*c2";
    algorithm
      c3 := Complex(0, 0);
      for i in 1:size(c1, 1) loop
        c3 := Complex(c3.re + c1[i].re*c2[i].re - c1[i].im*c2[i].im, c3.im + c1[i].re*c2[i].im + c1[i].im*c2[i].re);
      end for;
      annotation(Inline=true);
    end scalarProduct;
  end '*';

  encapsulated operator function '+' "Sum"
    import Complex;
    input Complex c1 "First number";
    input Complex c2 "Second number";
    output Complex c3 "c1 + c2";
  algorithm
    c3 := Complex(c1.re + c2.re, c1.im + c2.im);
    annotation(Inline=true);
  end '+';

  encapsulated operator function '/' "Quotient"
    import Complex;
    input Complex c1 "Dividend";
    input Complex c2 "Divisor";
    output Complex c3 "c1/c2";
  protected
    Real d = c2.re^2 + c2.im^2 "Square of the length of the divisor";
  algorithm
    c3 := Complex((c1.re*c2.re + c1.im*c2.im)/d, (c1.im*c2.re - c1.re*c2.im)/d);
    annotation(Inline=true);
  end '/';

  encapsulated operator '^' "Powers"
    function complexPower "Complex exponent"
      import Complex;
      input Complex c1 "Base";
      input Complex c2 "Exponent";
      output Complex c3 "c1^c2";
    protected
      Real lnAbs = 0.5*log(c1.re^2 + c1.im^2) "Logarithm of the length of the base";
      Real phi = atan2(c1.im, c1.re) "Angle of the base";
      Real length = exp(c2.re*lnAbs - c2.im*phi);
      Real angle = c2.re*phi + c2.im*lnAbs;
    algorithm
      c3 := Complex(length*cos(angle), length*sin(angle));
      annotation(Inline=true);
    end complexPower;

    function integerPower "Integer exponent"
      import Complex;
      input Complex c1 "Base";
      input Integer c2 "Exponent";
      output Complex c3 "c1^c2";
    protected
      Real length = sqrt(c1.re^2 + c1.im^2)^c2;
      Real angle = c2*atan2(c1.im, c1.re);
    algorithm
      c3 := Complex(length*cos(angle), length*sin(angle));
      annotation(Inline=true);
    end integerPower;
  end '^';

  encapsulated operator function '==' "Equality of both parts"
    import Complex;
    input Complex c1 "First number";
    input Complex c2 "Second number";
    output Boolean result "c1 == c2";
  algorithm
    result := c1.re == c2.re and c1.im == c2.im;
    annotation(Inline=true);
  end '==';

  encapsulated operator function '<>' "Difference of a part"
    import Complex;
    input Complex c1 "First number";
    input Complex c2 "Second number";
    output Boolean result "c1 <> c2";
  algorithm
    result := c1.re <> c2.re or c1.im <> c2.im;
    annotation(Inline=true);
  end '<>';

  encapsulated operator function 'String' "Text of a complex number"
    import Complex;
    input Complex c "Number";
    input String name = "j" "Imaginary unit";
    input Integer significantDigits = 6 "Digits";
    output String s "re + im*name";
  algorithm
    s := String(c.re, significantDigits=significantDigits);
    if c.im <> 0 then
      s := s + (if c.im > 0 then " + " else " - ") + String(abs(c.im), significantDigits=significantDigits) + "*" + name;
    end if;
  end 'String';
end Complex;
