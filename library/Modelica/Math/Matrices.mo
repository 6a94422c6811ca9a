within Modelica.Math;
package Matrices "Functions of Real matrices"
  function toString "Text of a matrix"
    input Real M[:, :] "Matrix";
    input String name = "" "Name";
    input Integer significantDigits = 6 "Digits";
    output String s "Text";
  algorithm
    s := if name == "" then "" else name + " = ";
    for i in 1:size(M, 1) loop
      s := s + "\n";
      for k in 1:size(M, 2) loop
        s := s + (if k > 1 then "  " else "") + String(M[i, k], significantDigits=significantDigits);
      end for;
    end for;
  end toString;

  function isEqual "Whether two matrices are equal up to a tolerance"
    input Real M1[:, :] "First matrix";
    input Real M2[:, :] "Second matrix";
    input Real eps(min=0) = 0 "Tolerance";
    output Boolean result;
  algorithm
    result := size(M1, 1) == size(M2, 1) and size(M1, 2) == size(M2, 2);
    for i in 1:min(size(M1, 1), size(M2, 1)) loop
      for k in 1:min(size(M1, 2), size(M2, 2)) loop
        result := result and abs(M1[i, k] - M2[i, k]) <= eps;
      end for;
    end for;
  end isEqual;

  function solve "Solution of A*x = b"
    input Real A[:, size(A, 1)] "Matrix";
    input Real b[size(A, 1)] "Right-hand side";
    output Real x[size(b, 1)] "Solution";
  protected
    Real X[size(b, 1), 1];
  algorithm
    X := solve2(A, matrix(b));
    x := X[:, 1];
  end solve;

  function solve2 "Solution of A*X = B"
    input Real A[:, size(A, 1)] "Matrix";
    input Real B[size(A, 1), :] "Right-hand sides";
    output Real X[size(B, 1), size(B, 2)] "Solutions";
  protected
    Real F[size(A, 1), size(A, 1)];
    Integer pivots[size(A, 1)];
    Integer info;
  algorithm
    (F, pivots, info) := LU(A);
    assert(info == 0, "The linear system is singular");
    X := LU_solve2(F, pivots, B);
  end solve2;

  function LU "Triangular factors with row pivoting"
    input Real A[:, :] "Matrix";
    output Real LU[size(A, 1), size(A, 2)] "Unit lower and upper factor in one matrix";
    output Integer pivots[min(size(A, 1), size(A, 2))] "Row that was exchanged with row i";
    output Integer info "0, or number of a zero pivot";
  protected
    Integer n = size(A, 1);
    Integer best;
    Real row[size(A, 2)];
  algorithm
    LU := A;
    info := 0;
    for k in 1:min(size(A, 1), size(A, 2)) loop
      best := k;
      for i in k + 1:n loop
        if abs(LU[i, k]) > abs(LU[best, k]) then
          best := i;
        end if;
      end for;
      pivots[k] := best;
      if LU[best, k] == 0 then
        info := if info == 0 then k else info;
      else
        if best <> k then
          row := LU[k, :];
          LU[k, :] := LU[best, :];
          LU[best, :] := row;
        end if;
        for i in k + 1:n loop
          LU[i, k] := LU[i, k]/LU[k, k];
          for m in k + 1:size(A, 2) loop
            LU[i, m] := LU[i, m] - LU[i, k]*LU[k, m];
          end for;
        end for;
      end if;
    end for;
  end LU;

  function LU_solve "Solution of A*x = b from the factors of A"
    input Real LU[:, size(LU, 1)] "Factors";
    input Integer pivots[size(LU, 1)] "Row exchanges";
    input Real b[size(LU, 1)] "Right-hand side";
    output Real x[size(b, 1)] "Solution";
  protected
    Real X[size(b, 1), 1];
  algorithm
    X := LU_solve2(LU, pivots, matrix(b));
    x := X[:, 1];
  end LU_solve;

  function LU_solve2 "Solution of A*X = B from the factors of A"
    input Real LU[:, size(LU, 1)] "Factors";
    input Integer pivots[size(LU, 1)] "Row exchanges";
    input Real B[size(LU, 1), :] "Right-hand sides";
    output Real X[size(B, 1), size(B, 2)] "Solutions";
  protected
    Integer n = size(LU, 1);
    Real row[size(B, 2)];
  algorithm
    X := B;
    for k in 1:n loop
      if pivots[k] <> k then
        row := X[k, :];
        X[k, :] := X[pivots[k], :];
        X[pivots[k], :] := row;
      end if;
    end for;
    for k in 1:n loop
      for i in k + 1:n loop
        X[i, :] := X[i, :] - LU[i, k]*X[k, :];
      end for;
    end for;
    for k in n:-1:1 loop
      X[k, :] := X[k, :]/LU[k, k];
      for i in 1:k - 1 loop
        X[i, :] := X[i, :] - LU[i, k]*X[k, :];
      end for;
    end for;
  end LU_solve2;

  function leastSquares "The shortest x with the smallest |A*x - b|"
    input Real A[:, :] "Matrix";
    input Real b[size(A, 1)] "Right-hand side";
    input Real rcond = 100*Modelica.Constants.eps "Singular values below this part of the largest count as 0";
    output Real x[size(A, 2)] "Solution";
    output Integer rank "Rank of A";
  protected
    Real sigma[min(size(A, 1), size(A, 2))];
    Real U[size(A, 1), size(A, 1)];
    Real VT[size(A, 2), size(A, 2)];
  algorithm
    (sigma, U, VT) := singularValues(A);
    x := zeros(size(A, 2));
    rank := 0;
    for k in 1:size(sigma, 1) loop
      if sigma[k] > rcond*sigma[1] then
        rank := rank + 1;
        x := x + (U[:, k]*b)/sigma[k]*VT[k, :];
      end if;
    end for;
  end leastSquares;

  function equalityLeastSquares "x with the smallest |A*x - a| among those with B*x = b"
    input Real A[:, :] "Matrix of the objective";
    input Real a[size(A, 1)] "Right-hand side of the objective";
    input Real B[:, size(A, 2)] "Matrix of the constraints";
    input Real b[size(B, 1)] "Right-hand side of the constraints";
    output Real x[size(A, 2)] "Solution";
  protected
    Integer n = size(A, 2);
    Integer m = size(B, 1);
    Real K[size(A, 2) + size(B, 1), size(A, 2) + size(B, 1)] "Optimality conditions";
    Real y[size(A, 2) + size(B, 1)];
  algorithm
    K := [transpose(A)*A, transpose(B); B, zeros(m, m)];
    y := solve(K, cat(1, transpose(A)*a, b));
    x := y[1:n];
  end equalityLeastSquares;

  function QR "Orthogonal columns and upper triangle, A[:, p] = Q*R"
    input Real A[:, :] "Matrix, not more columns than rows";
    input Boolean pivoting = true "Columns are exchanged so that the diagonal of R does not grow";
    output Real Q[size(A, 1), size(A, 2)] "Orthogonal columns";
    output Real R[size(A, 2), size(A, 2)] "Upper triangle";
    output Integer p[size(A, 2)] "Order of the columns";
  protected
    Real packed[size(A, 1), size(A, 2)] "R and the reflectors of Q";
    Real tau[min(size(A, 1), size(A, 2))] "Factors of the reflectors";
    Integer n = size(A, 2);
  algorithm
    assert(size(A, 1) >= size(A, 2), "QR needs a matrix with not more columns than rows");
    if pivoting then
      (packed, tau, p) := LAPACK.dgeqp3(A);
    else
      (packed, tau) := LAPACK.dgeqrf(A);
      p := 1:n;
    end if;
    R := zeros(n, n);
    for i in 1:n loop
      for k in i:n loop
        R[i, k] := packed[i, k];
      end for;
    end for;
    Q := LAPACK.dorgqr(packed, tau);
  end QR;

  function cholesky "Triangular factor of a symmetric positive definite matrix"
    input Real A[:, size(A, 1)] "Matrix";
    input Boolean upper = true "A = transpose(H)*H; otherwise A = H*transpose(H)";
    output Real H[size(A, 1), size(A, 2)] "Factor";
  protected
    Real s;
    Integer n = size(A, 1);
    Real L[size(A, 1), size(A, 1)];
  algorithm
    L := zeros(n, n);
    for k in 1:n loop
      for i in k:n loop
        s := A[i, k];
        for m in 1:k - 1 loop
          s := s - L[i, m]*L[k, m];
        end for;
        if i == k then
          assert(s > 0, "The matrix is not positive definite");
          L[k, k] := sqrt(s);
        else
          L[i, k] := s/L[k, k];
        end if;
      end for;
    end for;
    H := if upper then transpose(L) else L;
  end cholesky;

  function trace "Sum of the diagonal"
    input Real A[:, size(A, 1)] "Matrix";
    output Real result "Trace";
  algorithm
    result := sum(A[i, i] for i in 1:size(A, 1));
  end trace;

  function det "Determinant"
    input Real A[:, size(A, 1)] "Matrix";
    output Real result "Determinant";
  protected
    Real F[size(A, 1), size(A, 1)];
    Integer pivots[size(A, 1)];
    Integer info;
  algorithm
    (F, pivots, info) := LU(A);
    result := 1;
    for i in 1:size(A, 1) loop
      result := result*(if pivots[i] == i then F[i, i] else -F[i, i]);
    end for;
  end det;

  function inv "Inverse"
    input Real A[:, size(A, 1)] "Matrix";
    output Real invA[size(A, 1), size(A, 2)] "Inverse";
  algorithm
    invA := solve2(A, identity(size(A, 1)));
  end inv;

  function rank "Number of independent columns, by elimination with full pivoting"
    input Real A[:, :] "Matrix";
    input Real eps = 0 "Smallest pivot; 0 means relative rounding error";
    output Integer result "Rank";
  protected
    Real M[size(A, 1), size(A, 2)] = A;
    Real tol;
    Real pivot;
    Integer r;
    Integer c;
    Real row[size(A, 2)];
    Real column[size(A, 1)];
    Boolean going = true;
  algorithm
    tol := if eps > 0 then eps else max(size(A, 1), size(A, 2))*norm(A)*Modelica.Constants.eps;
    result := 0;
    for k in 1:min(size(A, 1), size(A, 2)) loop
      if going then
        pivot := 0;
        r := k;
        c := k;
        for i in k:size(A, 1) loop
          for m in k:size(A, 2) loop
            if abs(M[i, m]) > pivot then
              pivot := abs(M[i, m]);
              r := i;
              c := m;
            end if;
          end for;
        end for;
        if pivot > tol then
          result := k;
          row := M[k, :];
          M[k, :] := M[r, :];
          M[r, :] := row;
          column := M[:, k];
          M[:, k] := M[:, c];
          M[:, c] := column;
          for i in k + 1:size(A, 1) loop
            M[i, :] := M[i, :] - M[i, k]/M[k, k]*M[k, :];
          end for;
        else
          going := false;
        end if;
      end if;
    end for;
  end rank;

  function norm "Largest column sum (1), singular value (2) or row sum (inf)"
    input Real A[:, :] "Matrix";
    input Real p(min=1) = 2 "1, 2 or Modelica.Constants.inf";
    output Real result "Norm";
  algorithm
    assert(p == 1 or p == 2 or p >= Modelica.Constants.inf, "Only the norms 1, 2 and inf of matrices are available");
    result := 0;
    if p == 1 then
      for k in 1:size(A, 2) loop
        result := max(result, sum(abs(A[:, k])));
      end for;
    elseif p == 2 then
      result := max(singularValues(A));
    else
      for i in 1:size(A, 1) loop
        result := max(result, sum(abs(A[i, :])));
      end for;
    end if;
  end norm;

  function frobeniusNorm "Square root of the sum of all squares"
    input Real A[:, :] "Matrix";
    output Real result "Norm";
  algorithm
    result := sqrt(sum(A[i, k]^2 for i in 1:size(A, 1), k in 1:size(A, 2)));
  end frobeniusNorm;

  function exp "Matrix exponential of A*T by scaling and squaring"
    input Real A[:, size(A, 1)] "Matrix";
    input Real T = 1 "Factor";
    output Real phi[size(A, 1), size(A, 1)] "exp(A*T)";
  protected
    Integer squarings = 0;
    Real M[size(A, 1), size(A, 1)];
    Real term[size(A, 1), size(A, 1)];
    Real size1 = norm(A, 1)*abs(T);
  algorithm
    while size1 > 0.25 loop
      size1 := size1/2;
      squarings := squarings + 1;
    end while;
    M := A*(T/2^squarings);
    phi := identity(size(A, 1)) + M;
    term := M;
    for i in 2:14 loop
      term := term*M/i;
      phi := phi + term;
    end for;
    for i in 1:squarings loop
      phi := phi*phi;
    end for;
  end exp;

  function flipLeftRight "Columns in opposite order"
    input Real A[:, :] "Matrix";
    output Real Aflip[size(A, 1), size(A, 2)] "Flipped matrix";
  algorithm
    Aflip := {{A[i, size(A, 2) + 1 - k] for k in 1:size(A, 2)} for i in 1:size(A, 1)};
    annotation(Inline=true);
  end flipLeftRight;

  function flipUpDown "Rows in opposite order"
    input Real A[:, :] "Matrix";
    output Real Aflip[size(A, 1), size(A, 2)] "Flipped matrix";
  algorithm
    Aflip := {{A[size(A, 1) + 1 - i, k] for k in 1:size(A, 2)} for i in 1:size(A, 1)};
    annotation(Inline=true);
  end flipUpDown;

  function eigenValues "Eigenvalues and right eigenvectors of a square matrix"
    input Real A[:, size(A, 1)] "Matrix";
    output Real eigenvalues[size(A, 1), 2] "Real parts, imaginary parts";
    output Real eigenvectors[size(A, 1), size(A, 2)] "Eigenvectors in columns; a complex pair k, k + 1 has real part and
      imaginary part of its first vector in the columns k and k + 1";
  protected
    Integer info "0 if all converged";
    Real re[size(A, 1)];
    Real im[size(A, 1)];
  algorithm
    (re, im, eigenvectors, info) := LAPACK.dgeev(A);
    assert(info == 0, "The eigenvalues do not converge");
    for i in 1:size(A, 1) loop
      eigenvalues[i, 1] := re[i];
      eigenvalues[i, 2] := im[i];
    end for;
  end eigenValues;

  function eigenValueMatrix "Block diagonal matrix of eigenvalues"
    input Real eigenValues[:, 2] "Real parts, imaginary parts; pairs beside each other";
    output Real J[size(eigenValues, 1), size(eigenValues, 1)] "Blocks [re, im; -im, re] for pairs";
  protected
    Integer i = 1;
    Integer n = size(eigenValues, 1);
  algorithm
    J := zeros(n, n);
    while i <= n loop
      J[i, i] := eigenValues[i, 1];
      if eigenValues[i, 2] <> 0 then
        J[i, i + 1] := eigenValues[i, 2];
        J[i + 1, i] := eigenValues[i + 1, 2];
        J[i + 1, i + 1] := eigenValues[i + 1, 1];
        i := i + 2;
      else
        i := i + 1;
      end if;
    end while;
  end eigenValueMatrix;

  function singularValues "Singular values and vectors, A = U*diagonal(sigma)*VT"
    input Real A[:, :] "Matrix";
    output Real sigma[min(size(A, 1), size(A, 2))] "Singular values, largest first";
    output Real U[size(A, 1), size(A, 1)] "Left vectors in columns";
    output Real VT[size(A, 2), size(A, 2)] "Right vectors in rows";
  protected
    Integer info "0 if all converged";
  algorithm
    (sigma, U, VT, info) := LAPACK.dgesvd(A);
    assert(info == 0, "The singular values do not converge");
  end singularValues;

  function conditionNumber "Norm of A times norm of its inverse"
    input Real A[:, :] "Matrix";
    input Real p(min=1) = 2 "1, 2 or Modelica.Constants.inf";
    output Real result "Condition number";
  protected
    Real sigma[min(size(A, 1), size(A, 2))];
  algorithm
    if p == 2 then
      sigma := singularValues(A);
      result := if min(sigma) > 1e-100 then max(sigma)/min(sigma) else Modelica.Constants.inf;
    else
      result := norm(A, p)*norm(inv(A), p);
    end if;
  end conditionNumber;

  function rcond "Reciprocal of the condition number of a square matrix"
    input Real A[:, size(A, 1)] "Matrix";
    input Boolean inf = false "Row sums instead of column sums";
    output Real rcond "1/(norm of A times norm of its inverse), 0 for a singular matrix";
    output Integer info "0";
  protected
    Real p = if inf then Modelica.Constants.inf else 1;
  algorithm
    info := 0;
    rcond := if rank(A) < size(A, 1) then 0 else 1/(norm(A, p)*norm(inv(A), p));
  end rcond;

  function sort "Rows or columns in order of their elements"
    input Real M[:, :] "Matrix";
    input Boolean sortRows = true "Rows are put in order, otherwise columns";
    input Boolean ascending = true "Smallest first";
    output Real sorted_M[size(M, 1), size(M, 2)] "Sorted matrix";
    output Integer indices[if sortRows then size(M, 1) else size(M, 2)] "Places in M";
  protected
    Integer n = if sortRows then size(M, 1) else size(M, 2);
    Integer k;
  algorithm
    indices := 1:n;
    for i in 2:n loop
      k := i;
      while k > 1 loop
        if before(line(M, sortRows, indices[k]), line(M, sortRows, indices[k - 1]), ascending) then
          indices[k - 1:k] := {indices[k], indices[k - 1]};
          k := k - 1;
        else
          k := 1;
        end if;
      end while;
    end for;
    sorted_M := if sortRows then M[indices, :] else M[:, indices];
  end sort;

  function leastSquares2 "Least squares of A*X - B for several right sides"
    input Real A[:, :] "Matrix";
    input Real B[size(A, 1), :] "Right sides";
    input Real rcond = 100*Modelica.Constants.eps "Reciprocal condition at which columns count as dependent";
    output Real X[size(A, 2), size(B, 2)] "Solutions";
    output Integer rank "Number of independent columns";
  algorithm
    rank := 0;
    for k in 1:size(B, 2) loop
      (X[:, k], rank) := leastSquares(A, B[:, k], rcond);
    end for;
  end leastSquares2;

  function line "A row or a column"
    input Real M[:, :] "Matrix";
    input Boolean row "A row, otherwise a column";
    input Integer k "Number";
    output Real v[if row then size(M, 2) else size(M, 1)] "Elements";
  algorithm
    v := if row then M[k, :] else M[:, k];
  end line;

  function before "Lexicographic order"
    input Real a[:] "First";
    input Real b[size(a, 1)] "Second";
    input Boolean ascending "Smaller first, otherwise larger";
    output Boolean result "a stands before b";
  protected
    Boolean decided = false;
  algorithm
    result := false;
    for i in 1:size(a, 1) loop
      if not decided and a[i] <> b[i] then
        result := (a[i] < b[i]) == ascending;
        decided := true;
      end if;
    end for;
  end before;

  package LAPACK "Routines of the LAPACK library"
    function dgeev "Eigenvalues and right eigenvectors"
      input Real A[:, size(A, 1)] "Matrix";
      output Real eigenReal[size(A, 1)] "Real parts";
      output Real eigenImag[size(A, 1)] "Imaginary parts";
      output Real eigenVectors[size(A, 1), size(A, 1)] "Right eigenvectors";
      output Integer info "0 if all converged";
    protected
      Integer n = size(A, 1);
      Integer lwork = 12*size(A, 1);
      Real Awork[size(A, 1), size(A, 1)] = A;
      Real dummy[1, size(A, 1)];
      Real work[12*size(A, 1)];
      external "FORTRAN 77" dgeev("N", "V", n, Awork, n, eigenReal, eigenImag, dummy, 1, eigenVectors, n, work, lwork, info)
        annotation(Library="lapack");
    end dgeev;

    function dgeqrf "Triangle and reflectors"
      input Real A[:, :] "Matrix";
      output Real QR[size(A, 1), size(A, 2)] = A "R above the diagonal, reflectors below";
      output Real tau[min(size(A, 1), size(A, 2))] "Factors of the reflectors";
      output Integer info "0";
    protected
      Integer m = size(A, 1);
      Integer n = size(A, 2);
      Integer lwork = 3*size(A, 2) + 1;
      Real work[3*size(A, 2) + 1];
      external "FORTRAN 77" dgeqrf(m, n, QR, m, tau, work, lwork, info)
        annotation(Library="lapack");
    end dgeqrf;

    function dgeqp3 "Triangle and reflectors, with exchange of columns"
      input Real A[:, :] "Matrix";
      output Real QR[size(A, 1), size(A, 2)] = A "R above the diagonal, reflectors below";
      output Real tau[min(size(A, 1), size(A, 2))] "Factors of the reflectors";
      output Integer p[size(A, 2)] = zeros(size(A, 2)) "Order of the columns";
      output Integer info "0";
    protected
      Integer m = size(A, 1);
      Integer n = size(A, 2);
      Integer lwork = 3*size(A, 2) + 1;
      Real work[3*size(A, 2) + 1];
      external "FORTRAN 77" dgeqp3(m, n, QR, m, p, tau, work, lwork, info)
        annotation(Library="lapack");
    end dgeqp3;

    function dorgqr "Orthogonal columns from reflectors"
      input Real QR[:, :] "Reflectors below the diagonal";
      input Real tau[min(size(QR, 1), size(QR, 2))] "Factors of the reflectors";
      output Real Q[size(QR, 1), size(QR, 2)] = QR "Orthogonal columns";
      output Integer info "0";
    protected
      Integer m = size(QR, 1);
      Integer n = size(QR, 2);
      Integer lwork = 3*size(QR, 2) + 1;
      Real work[3*size(QR, 2) + 1];
      external "FORTRAN 77" dorgqr(m, n, n, Q, m, tau, work, lwork, info)
        annotation(Library="lapack");
    end dorgqr;

    function dgesvd "Singular value decomposition"
      input Real A[:, :] "Matrix";
      output Real sigma[min(size(A, 1), size(A, 2))] "Singular values";
      output Real U[size(A, 1), size(A, 1)] "Left vectors";
      output Real VT[size(A, 2), size(A, 2)] "Right vectors";
      output Integer info "0 if all converged";
    protected
      Integer m = size(A, 1);
      Integer n = size(A, 2);
      Integer lwork = 5*size(A, 1) + 5*size(A, 2);
      Real Awork[size(A, 1), size(A, 2)] = A;
      Real work[5*size(A, 1) + 5*size(A, 2)];
      external "FORTRAN 77" dgesvd("A", "A", m, n, Awork, m, sigma, U, m, VT, n, work, lwork, info)
        annotation(Library="lapack");
    end dgesvd;
  end LAPACK;
end Matrices;
