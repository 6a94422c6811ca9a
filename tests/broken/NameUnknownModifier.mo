model NameUnknownModifier
  model Tank
    parameter Real height = 1;
    Real level = height*time;
  end Tank;
  Tank tank(heigth=2);
end NameUnknownModifier;
// command: run
// code: E0205
// place: 6:13
// hint: did you mean `height`?
// edit: heigth ==> height
