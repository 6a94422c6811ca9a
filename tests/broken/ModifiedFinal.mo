model ModifiedFinal
  model Part
    final parameter Real p = 1;
  end Part;
  Part part(p=2);
end ModifiedFinal;
// command: run
// code: E0244
// place: 5:13
// hint: remove the modifier
// edit: part(p=2) ==> part
