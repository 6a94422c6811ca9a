// Modelica.Utilities.Strings: words counted and cut by hand.
model StringsTest
  import Modelica.Utilities.Strings.*;
  constant String s = "resistor, capacitor, resistor";
equation
  when terminal() then
    assert(length(s) == 29, "length");
    assert(substring(s, 1, 8) == "resistor", "substring");
    assert(find(s, "capacitor") == 11 and find(s, "coil") == 0, "find");
    assert(findLast(s, "resistor") == 22, "findLast");
    assert(count(s, "resistor") == 2, "count");
    assert(replace(s, "resistor", "R") == "R, capacitor, R", "replace");
    assert(isEqual("Ohm", "ohm", false) and not isEqual("Ohm", "ohm"), "isEqual");
    assert(isEmpty("  ") and not isEmpty(" a"), "isEmpty");
    assert(compare("a", "b") == Modelica.Utilities.Types.Compare.Less, "compare");
    assert(hashString("Ohm") <> hashString("Volt"), "hashString");
    assert(repeat(3, "ab") == "ababab", "repeat");
  end when;
end StringsTest;
