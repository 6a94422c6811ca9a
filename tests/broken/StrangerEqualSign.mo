model StrangerEqualSign
  Integer mode = if time > 0.5 then 2 else 1;
  Real y;
equation
  if mode = 1 then
    y = 1;
  else
    y = 2;
  end if;
end StrangerEqualSign;
// command: run
// code: E0101
// place: 5:11
// hint: two values are compared with `==`
// edit: mode = 1 ==> mode == 1
