// Eigenvalues of [0, 1; -4, 0] are +-2i, of [2, 1; 1, 2] 3 and 1; singular values of [3, 0; 4, 5] are sqrt(45) and sqrt(5).
// Polynomials: (u - 1)(u - 2)(u - 3); the parabola through (0, 1), (1, 2), (2, 5) is u^2 + 1.
// erf(0.5) = 0.5204998778130465, erfc(3) = 2.209049699858544e-5 (published tables), inverses by composition.
// built-in only: roots of polynomials need a function of the real library that does not run yet
model SpectralFunctions
  import Modelica.Math.Matrices;
  import Modelica.Math.Polynomials;
  import Modelica.Math.Special;
  parameter Real A[2, 2] = [2, 1; 1, 2];
  parameter Real B[2, 2] = [3, 0; 4, 5];
  parameter Real p[4] = {1, -6, 11, -6};
  parameter Real swing[2, 2] = Matrices.eigenValues([0, 1; -4, 0]);
  Real lambda[2, 2];
  Real vectors[2, 2];
  parameter Real sigma[2] = Matrices.singularValues(B);
  parameter Real roots[3, 2] = Polynomials.roots(p);
  parameter Real parabola[3] = Polynomials.fitting({0, 1, 2}, {1, 2, 5}, 2);
  parameter Real sorted[3, 2] = Matrices.sort([2, 1; 1, 5; 1, 3]);
  Real value = Polynomials.evaluate(p, time);
  Real slope;
equation
  (lambda, vectors) = Matrices.eigenValues(A);
  slope = der(value);
  when terminal() then
    assert(abs(swing[1, 1]) + abs(swing[2, 1]) < 1e-12 and abs(abs(swing[1, 2]) - 2) < 1e-12, "imaginary eigenvalues");
    assert(abs(max(lambda[:, 1]) - 3) < 1e-12 and abs(min(lambda[:, 1]) - 1) < 1e-12, "real eigenvalues");
    assert(Modelica.Math.Vectors.norm(A*vectors[:, 1] - lambda[1, 1]*vectors[:, 1]) < 1e-12, "eigenvector");
    assert(abs(sigma[1] - sqrt(45)) < 1e-12 and abs(sigma[2] - sqrt(5)) < 1e-12, "singular values");
    assert(abs(Matrices.norm(B) - sqrt(45)) < 1e-12 and abs(Matrices.conditionNumber(B) - 3) < 1e-12, "norm, condition");
    assert(abs(Matrices.rcond(A) - 1/3) < 1e-12, "reciprocal condition: norms 3 and 1");
    assert(sorted[1, 2] == 3 and sorted[2, 2] == 5 and sorted[3, 1] == 2, "sort");
    assert(abs(sum(roots[:, 1]) - 6) < 1e-10 and abs(product(roots[:, 1]) - 6) < 1e-10, "roots");
    assert(abs(parabola[1] - 1) < 1e-12 and abs(parabola[2]) < 1e-12 and abs(parabola[3] - 1) < 1e-12, "fitting");
    assert(abs(value - (time - 1)*(time - 2)*(time - 3)) < 1e-12, "evaluate");
    assert(abs(slope - (3*time^2 - 12*time + 11)) < 1e-9, "derivative in time");
    assert(abs(Polynomials.integralValue({3, 0, 0}, 2, 1) - 7) < 1e-12, "integral of 3 u^2 from 1 to 2");
    assert(abs(Polynomials.derivativeValue(p, 2) + 1) < 1e-12 and abs(Polynomials.secondDerivativeValue(p, 2)) < 1e-12, "derivatives");
    assert(abs(Polynomials.evaluateWithRange({1, 0, 0}, 0, 1, 3) - 5) < 1e-12, "u^2 goes on with slope 2 behind 1");
    assert(abs(Special.erf(0.5) - 0.5204998778130465) < 1e-14 and abs(Special.erfc(3)/2.209049699858544e-5 - 1) < 1e-12, "erf");
    assert(abs(Special.erf(Special.erfInv(0.3)) - 0.3) < 1e-14 and abs(Special.erfc(Special.erfcInv(1e-5))/1e-5 - 1) < 1e-10, "inverses");
    assert(abs(Special.sinc(2) - sin(2)/2) < 1e-15 and Special.sinc(0) == 1, "sinc");
  end when;
end SpectralFunctions;
