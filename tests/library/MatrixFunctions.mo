// Modelica.Math.Matrices: a 3 by 3 system with integer solution; exp of a rotation generator is the rotation.
model MatrixFunctions
  import M = Modelica.Math.Matrices;
  constant Real A[3, 3] = [0, 2, 1; 1, -2, -3; -1, 1, 2];
  constant Real x[3] = {1, -2, 3};
  constant Real S[2, 2] = [4, 2; 2, 10];
  parameter Real y[3] = M.solve(A, A*x);
  parameter Real I[3, 3] = A*M.inv(A);
  parameter Real H[2, 2] = M.cholesky(S);
  parameter Real E[2, 2] = M.exp([0, -1; 1, 0], Modelica.Constants.pi/6);
  parameter Real z[2] = M.leastSquares([1, 0; 1, 1; 1, 2], {1, 3, 5});
  parameter Real w[2] = M.equalityLeastSquares(identity(2), {0, 0}, [1, 1], {2});
  parameter Real F[3, 3](each fixed=false) "Factors of A";
  parameter Integer pivots[3](each fixed=false);
  parameter Integer info(fixed=false);
  parameter Real Q[3, 3](each fixed=false);
  parameter Real R[3, 3](each fixed=false);
  parameter Integer order[3](each fixed=false);
  parameter Real U[2, 2] = M.flipUpDown(S);
  parameter Real L[2, 2] = M.flipLeftRight(S);
initial algorithm
  (F, pivots, info) := M.LU(A);
  (Q, R, order) := M.QR(A, false);
equation
  when terminal() then
    assert(Modelica.Math.Vectors.isEqual(y, x, 1e-13), "solve");
    assert(M.isEqual(I, identity(3), 1e-13), "inv");
    assert(abs(M.det(A) - 1) < 1e-13 and abs(M.trace(A) - (0)) < 1e-9, "det");
    assert(M.rank([1, 2; 2, 4]) == 1 and M.rank(A) == 3, "rank");
    assert(abs(M.norm(A, 1) - 6) < 1e-15 and abs(M.norm(A, Modelica.Constants.inf) - 6) < 1e-15, "norm");
    assert(abs(M.frobeniusNorm(S) - sqrt(124)) < 1e-14, "frobeniusNorm");
    assert(M.isEqual(H, [2, 1; 0, 3], 1e-14), "cholesky");
    assert(M.isEqual(E, [sqrt(3)/2, -0.5; 0.5, sqrt(3)/2], 1e-14), "exp");
    assert(Modelica.Math.Vectors.isEqual(z, {1, 2}, 1e-13), "leastSquares");
    assert(Modelica.Math.Vectors.isEqual(w, {1, 1}, 1e-13), "equalityLeastSquares");
    assert(abs(U[1, 2] - (10)) < 1e-9 and abs(L[1, 1] - (2)) < 1e-9, "flip");
  end when;
end MatrixFunctions;
