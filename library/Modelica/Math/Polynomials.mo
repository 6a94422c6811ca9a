within Modelica.Math;
package Polynomials "Polynomials p[1]*u^n + ... + p[n]*u + p[n + 1]"
  function evaluate "Value"
    input Real p[:] "Coefficients, highest power first";
    input Real u "Argument";
    output Real y "Value";
  algorithm
    y := 0;
    for k in 1:size(p, 1) loop
      y := p[k] + u*y;
    end for;
    annotation(derivative(zeroDerivative=p)=evaluate_der);
  end evaluate;

  function evaluate_der "Derivative of evaluate in time"
    input Real p[:] "Coefficients, highest power first";
    input Real u "Argument";
    input Real du "Derivative of the argument";
    output Real dy "Derivative of the value";
  algorithm
    dy := derivativeValue(p, u)*du;
  end evaluate_der;

  function evaluateWithRange "Value, continued by straight lines outside of a range"
    input Real p[:] "Coefficients, highest power first";
    input Real uMin "Begin of the range";
    input Real uMax "End of the range";
    input Real u "Argument";
    output Real y "Value";
  algorithm
    if u < uMin then
      y := evaluate(p, uMin) + derivativeValue(p, uMin)*(u - uMin);
    elseif u > uMax then
      y := evaluate(p, uMax) + derivativeValue(p, uMax)*(u - uMax);
    else
      y := evaluate(p, u);
    end if;
    annotation(derivative(zeroDerivative=p, zeroDerivative=uMin, zeroDerivative=uMax)=evaluateWithRange_der);
  end evaluateWithRange;

  function evaluateWithRange_der "Derivative of evaluateWithRange in time"
    input Real p[:] "Coefficients, highest power first";
    input Real uMin "Begin of the range";
    input Real uMax "End of the range";
    input Real u "Argument";
    input Real du "Derivative of the argument";
    output Real dy "Derivative of the value";
  algorithm
    dy := derivativeValue(p, max(uMin, min(uMax, u)))*du;
  end evaluateWithRange_der;

  function derivative "Coefficients of the derivative"
    input Real p1[:] "Coefficients, highest power first";
    output Real p2[size(p1, 1) - 1] "Coefficients of the derivative";
  algorithm
    for k in 1:size(p1, 1) - 1 loop
      p2[k] := p1[k]*(size(p1, 1) - k);
    end for;
  end derivative;

  function derivativeValue "Value of the derivative"
    input Real p[:] "Coefficients, highest power first";
    input Real u "Argument";
    output Real y "Value of the derivative";
  protected
    Integer n = size(p, 1);
  algorithm
    y := 0;
    for k in 1:n - 1 loop
      y := p[k]*(n - k) + u*y;
    end for;
    annotation(derivative(zeroDerivative=p)=derivativeValue_der);
  end derivativeValue;

  function derivativeValue_der "Derivative of derivativeValue in time"
    input Real p[:] "Coefficients, highest power first";
    input Real u "Argument";
    input Real du "Derivative of the argument";
    output Real dy "Derivative of the value";
  algorithm
    dy := secondDerivativeValue(p, u)*du;
  end derivativeValue_der;

  function secondDerivativeValue "Value of the second derivative"
    input Real p[:] "Coefficients, highest power first";
    input Real u "Argument";
    output Real y "Value of the second derivative";
  protected
    Integer n = size(p, 1);
  algorithm
    y := 0;
    for k in 1:n - 2 loop
      y := p[k]*(n - k)*(n - k - 1) + u*y;
    end for;
  end secondDerivativeValue;

  function integral "Coefficients of the integral that is 0 at 0"
    input Real p1[:] "Coefficients, highest power first";
    output Real p2[size(p1, 1) + 1] "Coefficients of the integral";
  algorithm
    for k in 1:size(p1, 1) loop
      p2[k] := p1[k]/(size(p1, 1) + 1 - k);
    end for;
    p2[size(p1, 1) + 1] := 0;
  end integral;

  function integralValue "Integral between two arguments"
    input Real p[:] "Coefficients, highest power first";
    input Real u_high "Upper end";
    input Real u_low = 0 "Lower end";
    output Real integral "Integral";
  protected
    Integer n = size(p, 1);
    Real high = 0;
    Real low = 0;
  algorithm
    for k in 1:n loop
      high := u_high*(p[k]/(n - k + 1) + high);
      low := u_low*(p[k]/(n - k + 1) + low);
    end for;
    integral := high - low;
    annotation(derivative(zeroDerivative=p)=integralValue_der);
  end integralValue;

  function integralValue_der "Derivative of integralValue in time"
    input Real p[:] "Coefficients, highest power first";
    input Real u_high "Upper end";
    input Real u_low = 0 "Lower end";
    input Real du_high "Derivative of the upper end";
    input Real du_low = 0 "Derivative of the lower end";
    output Real dintegral "Derivative of the integral";
  algorithm
    dintegral := evaluate(p, u_high)*du_high - evaluate(p, u_low)*du_low;
  end integralValue_der;

  function fitting "Polynomial of degree n with the least squares of the errors at given points"
    input Real u[:] "Arguments";
    input Real y[size(u, 1)] "Values";
    input Integer n(min=1) "Degree";
    output Real p[n + 1] "Coefficients, highest power first";
  protected
    Real V[size(u, 1), n + 1] "Powers of the arguments";
  algorithm
    V[:, n + 1] := ones(size(u, 1));
    for k in n:-1:1 loop
      V[:, k] := {u[i]*V[i, k + 1] for i in 1:size(u, 1)};
    end for;
    p := Modelica.Math.Matrices.leastSquares(V, y);
  end fitting;

  function roots "Roots, as eigenvalues of the companion matrix"
    input Real p[:] "Coefficients, highest power first; p[1] is not 0";
    output Real roots[max(0, size(p, 1) - 1), 2] "Real parts, imaginary parts";
  protected
    Integer n = max(0, size(p, 1) - 1);
    Real A[max(0, size(p, 1) - 1), max(0, size(p, 1) - 1)] "Companion matrix";
  algorithm
    if n > 0 then
      assert(abs(p[1]) > 0, "The first coefficient of a polynomial must not be 0");
      A := zeros(n, n);
      A[1, :] := -p[2:n + 1]/p[1];
      for k in 2:n loop
        A[k, k - 1] := 1;
      end for;
      roots := Modelica.Math.Matrices.eigenValues(A);
    end if;
  end roots;
end Polynomials;
