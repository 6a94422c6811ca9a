model TypeConditionNotBoolean
  Real x = if time then 1 else 2;
end TypeConditionNotBoolean;
// command: run
// code: E0365
// place: 2:15
// hint: compare it with a value
// edit: if time then ==> if time > 1 then
