model StrangerRecordField
  record Data
    Real mass;
    Real stiffness;
  end Data;
  Data d = Data(2);
  Real x = d.stiffness;
end StrangerRecordField;
// command: run
// code: E0330
// place: 6:12
// hint: compare the call with the declaration
// edit: Data(2) ==> Data(2, 100)
