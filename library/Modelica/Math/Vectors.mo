within Modelica.Math;
package Vectors "Functions of Real vectors"
  function toString "Text of a vector"
    input Real v[:] "Vector";
    input String name = "" "Name";
    input Integer significantDigits = 6 "Digits";
    output String s "Text";
  algorithm
    s := if name == "" then "" else name + " = ";
    for i in 1:size(v, 1) loop
      s := s + "\n" + String(v[i], significantDigits=significantDigits);
    end for;
  end toString;

  function isEqual "Whether two vectors are equal up to a tolerance"
    input Real v1[:] "First vector";
    input Real v2[:] "Second vector";
    input Real eps(min=0) = 0 "Tolerance";
    output Boolean result;
  algorithm
    result := size(v1, 1) == size(v2, 1);
    for i in 1:min(size(v1, 1), size(v2, 1)) loop
      result := result and abs(v1[i] - v2[i]) <= eps;
    end for;
  end isEqual;

  function norm "p-norm"
    input Real v[:] "Vector";
    input Real p(min=1) = 2 "Kind of norm";
    output Real result "Norm";
  algorithm
    if size(v, 1) == 0 then
      result := 0;
    elseif p == 2 then
      result := sqrt(v*v);
    elseif p >= Modelica.Constants.inf then
      result := max(abs(v));
    elseif p == 1 then
      result := sum(abs(v));
    else
      result := sum(abs(v[i])^p for i in 1:size(v, 1))^(1/p);
    end if;
  end norm;

  function length "Euclidean length"
    input Real v[:] "Vector";
    output Real result "Length";
  algorithm
    result := sqrt(v*v);
    annotation(Inline=true);
  end length;

  function normalize "Vector of length 1"
    input Real v[:] "Vector";
    input Real eps(min=0.0) = 100*Modelica.Constants.eps "Shorter vectors are divided by this";
    output Real result[size(v, 1)](each final unit="1") "Normalized vector";
  algorithm
    result := v/smooth(0, max(length(v), eps));
    annotation(Inline=true);
  end normalize;

  function normalizeWithAssert "Vector of length 1; a zero vector is an error"
    input Real v[:] "Vector";
    output Real result[size(v, 1)] "Normalized vector";
  algorithm
    assert(length(v) > 0, "A vector of length zero has no direction");
    result := v/length(v);
  end normalizeWithAssert;

  function reverse "Elements in opposite order"
    input Real v[:] "Vector";
    output Real result[size(v, 1)] "Reversed vector";
  algorithm
    result := {v[size(v, 1) + 1 - i] for i in 1:size(v, 1)};
    annotation(Inline=true);
  end reverse;

  function sort "Elements by size"
    input Real v[:] "Vector";
    input Boolean ascending = true "Smallest first";
    output Real sorted_v[size(v, 1)] "Sorted vector";
    output Integer indices[size(v, 1)] "sorted_v = v[indices]";
  protected
    Integer i;
    Real e;
    Integer k;
    Boolean before;
  algorithm
    sorted_v := v;
    indices := 1:size(v, 1);
    for m in 2:size(v, 1) loop
      e := sorted_v[m];
      k := indices[m];
      i := m - 1;
      before := true;
      while before loop
        before := if i < 1 then false elseif ascending then e < sorted_v[i] else e > sorted_v[i];
        if before then
          sorted_v[i + 1] := sorted_v[i];
          indices[i + 1] := indices[i];
          i := i - 1;
        end if;
      end while;
      sorted_v[i + 1] := e;
      indices[i + 1] := k;
    end for;
  end sort;

  function find "Number of the first element with a value, or 0"
    input Real e "Value";
    input Real v[:] "Vector";
    input Real eps(min=0) = 0 "Tolerance";
    output Integer result "Number";
  algorithm
    result := 0;
    for i in size(v, 1):-1:1 loop
      result := if abs(v[i] - e) <= eps then i else result;
    end for;
  end find;

  function interpolate "Value on a polygon, with extrapolation"
    input Real x[:] "Abscissas, increasing";
    input Real y[size(x, 1)] "Ordinates";
    input Real xi "Where";
    input Integer iLast = 1 "Segment to look at first";
    output Real yi "Value";
    output Integer iNew "Segment of xi";
  protected
    Integer n = size(x, 1);
  algorithm
    if n == 1 then
      yi := y[1];
      iNew := 1;
    else
      iNew := min(max(iLast, 1), n - 1);
      while iNew < n - 1 and xi >= x[iNew + 1] loop
        iNew := iNew + 1;
      end while;
      while iNew > 1 and xi < x[iNew] loop
        iNew := iNew - 1;
      end while;
      yi := if x[iNew + 1] > x[iNew]
        then y[iNew] + (y[iNew + 1] - y[iNew])*(xi - x[iNew])/(x[iNew + 1] - x[iNew]) else y[iNew + 1];
    end if;
  end interpolate;

  function relNodePositions "Middles of equal segments between the ends 0 and 1"
    input Integer nNodes "Number of nodes";
    output Real xsi[nNodes] "Positions";
  protected
    Real delta = 1/(nNodes - 2);
  algorithm
    xsi[1] := 0;
    for i in 2:nNodes - 1 loop
      xsi[i] := (i - 1.5)*delta;
    end for;
    xsi[nNodes] := 1;
  end relNodePositions;
end Vectors;
