model TypeStringForReal
  parameter Real p = "3";
end TypeStringForReal;
// command: run
// code: E0321
// place: 2:22
// hint: change the declaration, or convert: `integer(x)`, `Integer(e)`, `String(x)`, `if b then 1 else 0`
