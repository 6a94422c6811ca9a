within Modelica.Math;
package Special "Error function and related functions"
  function erf "Error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to u"
    input Real u "Argument";
    output Real y "erf(u)";
  protected
    Real term "Term of the series";
    Integer k = 0;
  algorithm
    if abs(u) < 2 then
      // erf(u) = 2/sqrt(pi) exp(-u^2) sum of u (2 u^2)^k/(1*3*...*(2 k + 1)): all terms positive, no cancellation
      term := u;
      y := 0;
      while abs(term) > 1e-17*abs(y) and k < 200 loop
        y := y + term;
        k := k + 1;
        term := term*2*u^2/(2*k + 1);
      end while;
      y := 2/sqrt(Modelica.Constants.pi)*exp(-u^2)*y;
    else
      y := if u > 0 then 1 - tail(u) else tail(-u) - 1;
    end if;
  end erf;

  function erfc "Complementary error function, 1 - erf(u) without cancellation"
    input Real u "Argument";
    output Real y "erfc(u)";
  algorithm
    y := if u < 2 then 1 - erf(u) else tail(u);
  end erfc;

  function tail "erfc for arguments from 2 on, by a continued fraction"
    input Real u "Argument";
    output Real y "erfc(u)";
  protected
    Real f;
  algorithm
    // sqrt(pi) exp(u^2) erfc(u) = 1/(u + (1/2)/(u + (2/2)/(u + (3/2)/(u + ...))))
    f := u;
    for k in 100:-1:1 loop
      f := u + k/2/f;
    end for;
    y := exp(-u^2)/(sqrt(Modelica.Constants.pi)*f);
  end tail;

  function erfInv "Inverse of erf, by Newton's method"
    input Real u "Argument between -1 and 1";
    output Real y "erf(y) = u";
  algorithm
    y := if u < 0 then -erfcInv(1 + u) else erfcInv(1 - u);
    // 1 - u has lost digits of a small u
    if abs(u) < 0.5 then
      for k in 1:3 loop
        y := y - (erf(y) - u)*sqrt(Modelica.Constants.pi)/2*exp(y^2);
      end for;
    end if;
  end erfInv;

  function erfcInv "Inverse of erfc, by Halley's method on the logarithm"
    input Real u "Argument between 0 and 2";
    output Real y "erfc(y) = u";
  protected
    Real q = if u > 1 then 2 - u else u "Argument of the positive branch";
    Real d "Newton step";
    Real t;
  algorithm
    if q <= 0 then
      y := Modelica.Constants.inf;
    elseif q >= 1 then
      y := 0;
    else
      // rational start (Abramowitz and Stegun 26.2.23 with t = sqrt(-2 ln(q/2)))
      t := sqrt(-2*log(q/2));
      y := (t - (2.515517 + t*(0.802853 + t*0.010328))/(1 + t*(1.432788 + t*(0.189269 + t*0.001308))))/sqrt(2);
      for k in 1:5 loop
        d := (erfc(y) - q)*sqrt(Modelica.Constants.pi)/2*exp(y^2);
        y := y + d/(1 - y*d);
      end for;
    end if;
    y := if u > 1 then -y else y;
  end erfcInv;

  function sinc "sin(u)/u, 1 at 0"
    input Real u "Argument";
    output Real y "Value";
  algorithm
    y := if abs(u) > 1e-4 then sin(u)/u else 1 - u^2/6*(1 - u^2/20);
  end sinc;
end Special;
