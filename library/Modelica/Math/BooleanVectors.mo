within Modelica.Math;
package BooleanVectors "Functions of Boolean vectors"
  function allTrue "Whether all elements are true, and there is one"
    input Boolean b[:] "Vector";
    output Boolean result;
  algorithm
    result := size(b, 1) > 0;
    for i in 1:size(b, 1) loop
      result := result and b[i];
    end for;
  end allTrue;

  function andTrue "Whether no element is false"
    input Boolean b[:] "Vector";
    output Boolean result;
  algorithm
    result := true;
    for i in 1:size(b, 1) loop
      result := result and b[i];
    end for;
  end andTrue;

  function anyTrue "Whether an element is true"
    input Boolean b[:] "Vector";
    output Boolean result;
  algorithm
    result := false;
    for i in 1:size(b, 1) loop
      result := result or b[i];
    end for;
  end anyTrue;

  function countTrue "Number of true elements"
    input Boolean b[:] "Vector";
    output Integer n;
  algorithm
    n := 0;
    for i in 1:size(b, 1) loop
      n := n + (if b[i] then 1 else 0);
    end for;
  end countTrue;

  function enumerate "Numbers 1, 2, ... at the true elements, 0 elsewhere"
    input Boolean b[:] "Vector";
    output Integer enumerated[size(b, 1)];
  protected
    Integer n = 0;
  algorithm
    for i in 1:size(b, 1) loop
      n := n + (if b[i] then 1 else 0);
      enumerated[i] := if b[i] then n else 0;
    end for;
  end enumerate;

  function firstTrueIndex "Number of the first true element, or 0"
    input Boolean b[:] "Vector";
    output Integer index;
  algorithm
    index := 0;
    for i in size(b, 1):-1:1 loop
      index := if b[i] then i else index;
    end for;
  end firstTrueIndex;

  function index "Numbers of the true elements"
    input Boolean b[:] "Vector";
    output Integer indices[countTrue(b)];
  protected
    Integer n = 0;
  algorithm
    for i in 1:size(b, 1) loop
      if b[i] then
        n := n + 1;
        indices[n] := i;
      end if;
    end for;
  end index;

  function oneTrue "Whether exactly one element is true"
    input Boolean b[:] "Vector";
    output Boolean result;
  algorithm
    result := countTrue(b) == 1;
  end oneTrue;
end BooleanVectors;
