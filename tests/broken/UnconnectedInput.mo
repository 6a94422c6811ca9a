model UnconnectedInput
  Modelica.Blocks.Math.Gain gain(k=2);
end UnconnectedInput;
// command: run
// code: E0301
// place: 1:7
// hint: connect these inputs, or give them a value: `block(u = 1)`
// edit: end UnconnectedInput ==> equation\n  gain.u = time;\nend UnconnectedInput
