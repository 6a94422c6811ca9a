// Modelica.Math.Matrices: a 3 by 3 system with integer solution; exp of a rotation generator is the rotation.
model MatrixFunctions
  import Modelica.Math.Matrices.*;
  constant Real A[3, 3] = [0, 2, 1; 1, -2, -3; -1, 1, 2];
  constant Real x[3] = {1, -2, 3};
  constant Real S[2, 2] = [4, 2; 2, 10];
  parameter Real y[3] = Modelica.Math.Matrices.solve(A, A*x);
  parameter Real I[3, 3] = A*inv(A);
  parameter Real H[2, 2] = cholesky(S);
  parameter Real E[2, 2] = Modelica.Math.Matrices.exp([0, -1; 1, 0], Modelica.Constants.pi/6);
  parameter Real z[2] = leastSquares([1, 0; 1, 1; 1, 2], {1, 3, 5});
  parameter Real w[2] = equalityLeastSquares(identity(2), {0, 0}, [1, 1], {2});
equation
  when terminal() then
    assert(Modelica.Math.Vectors.isEqual(y, x, 1e-13), "solve");
    assert(Modelica.Math.Matrices.isEqual(I, identity(3), 1e-13), "inv");
    assert(abs(det(A) - 1) < 1e-13 and trace(A) == 0, "det");
    assert(rank([1, 2; 2, 4]) == 1 and rank(A) == 3, "rank");
    assert(abs(norm(A) - 6) < 1e-15 and abs(norm(A, Modelica.Constants.inf) - 6) < 1e-15, "norm");
    assert(abs(frobeniusNorm(S) - sqrt(124)) < 1e-14, "frobeniusNorm");
    assert(Modelica.Math.Matrices.isEqual(H, [2, 1; 0, 3], 1e-14), "cholesky");
    assert(Modelica.Math.Matrices.isEqual(E, [sqrt(3)/2, -0.5; 0.5, sqrt(3)/2], 1e-14), "exp");
    assert(Modelica.Math.Vectors.isEqual(z, {1, 2}, 1e-13), "leastSquares");
    assert(Modelica.Math.Vectors.isEqual(w, {1, 1}, 1e-13), "equalityLeastSquares");
    assert(flipUpDown(S)[1, 2] == 10 and flipLeftRight(S)[1, 1] == 2, "flip");
  end when;
end MatrixFunctions;
