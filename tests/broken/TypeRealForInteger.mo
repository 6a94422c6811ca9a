model TypeRealForInteger
  Integer n = 2.5*time;
end TypeRealForInteger;
// command: run
// code: E0321
// place: 2:15
// hint: change the declaration, or convert: `integer(x)`, `Integer(e)`, `String(x)`, `if b then 1 else 0`
// edit: 2.5*time ==> integer(2.5*time)
