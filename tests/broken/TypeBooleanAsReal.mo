model TypeBooleanAsReal
  Boolean b = time > 1;
  Real x = b + 1;
end TypeBooleanAsReal;
// command: run
// code: E0321
// place: 3:12
// hint: change the declaration, or convert: `integer(x)`, `Integer(e)`, `String(x)`, `if b then 1 else 0`
// edit: b + 1 ==> (if b then 1 else 0) + 1
