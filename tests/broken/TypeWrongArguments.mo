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
// hint: the inputs of the function are, in this order, `width`, `height`
// edit: area(2, 3, time) ==> area(2, time)
