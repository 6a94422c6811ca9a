model TypeWrongArguments
  function area
    input Real width;
    input Real height;
    output Real a = width*height;
  algorithm
  end area;
  Real x = area(2, 3, time);
end TypeWrongArguments;
// command: run
// code: E0330
// place: 8:12
// hint: compare the call with the declaration of the function
// edit: area(2, 3, time) ==> area(2, time)
