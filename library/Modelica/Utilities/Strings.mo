within Modelica.Utilities;
package Strings "Functions of texts"
  pure function length "Number of characters"
    input String string "Text";
    output Integer result "Length";
  external "C" result = ModelicaStrings_length(string)
    annotation(Library="ModelicaExternalC");
  end length;

  pure function substring "Part of a text"
    input String string "Text";
    input Integer startIndex(min=1) "First character";
    input Integer endIndex "Last character";
    output String result "Part";
  external "C" result = ModelicaStrings_substring(string, startIndex, endIndex)
    annotation(Library="ModelicaExternalC");
  end substring;

  pure function compare "Order of two texts"
    input String string1 "First text";
    input String string2 "Second text";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output Types.Compare result "Order";
  external "C" result = ModelicaStrings_compare(string1, string2, caseSensitive)
    annotation(Library="ModelicaExternalC");
  end compare;

  pure function hashString "Number that stands for a text"
    input String string "Text";
    output Integer hash "Hash value";
  external "C" hash = ModelicaStrings_hashString(string)
    annotation(Library="ModelicaExternalC");
  end hashString;

  function isEqual "Whether two texts are equal"
    input String string1 "First text";
    input String string2 "Second text";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output Boolean identical;
  algorithm
    identical := compare(string1, string2, caseSensitive) == Types.Compare.Equal;
  end isEqual;

  function isEmpty "Whether a text has only blanks"
    input String string "Text";
    output Boolean result;
  algorithm
    result := true;
    for i in 1:length(string) loop
      result := result and substring(string, i, i) == " ";
    end for;
  end isEmpty;

  function repeat "A text several times"
    input Integer n(min=0) = 1 "How often";
    input String string = " " "Text";
    output String repeatedString "Result";
  algorithm
    repeatedString := "";
    for i in 1:n loop
      repeatedString := repeatedString + string;
    end for;
  end repeat;

  function count "Number of occurrences, without overlap"
    input String string "Text";
    input String searchString "What to find";
    input Integer startIndex(min=1) = 1 "Where to begin";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output Integer result "Number";
  protected
    Integer i = find(string, searchString, startIndex, caseSensitive);
  algorithm
    result := 0;
    while i > 0 loop
      result := result + 1;
      i := find(string, searchString, i + length(searchString), caseSensitive);
    end while;
  end count;

  function find "Position of the first occurrence, or 0"
    input String string "Text";
    input String searchString "What to find";
    input Integer startIndex(min=1) = 1 "Where to begin";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output Integer index "Position";
  protected
    Integer n = length(searchString);
    Integer i = startIndex;
  algorithm
    index := 0;
    while index == 0 and i + n - 1 <= length(string) loop
      if isEqual(substring(string, i, i + n - 1), searchString, caseSensitive) then
        index := i;
      end if;
      i := i + 1;
    end while;
  end find;

  function findLast "Position of the last occurrence, or 0"
    input String string "Text";
    input String searchString "What to find";
    input Integer startIndex(min=0) = 0 "Where to begin, going back; 0 means the end";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output Integer index "Position";
  protected
    Integer n = length(searchString);
    Integer i = if startIndex == 0 then length(string) - length(searchString) + 1 else startIndex;
  algorithm
    index := 0;
    while index == 0 and i >= 1 loop
      if isEqual(substring(string, i, i + n - 1), searchString, caseSensitive) then
        index := i;
      end if;
      i := i - 1;
    end while;
  end findLast;

  function replace "Text with occurrences replaced"
    input String string "Text";
    input String searchString "What to find";
    input String replaceString "What to put there";
    input Integer startIndex = 1 "Where to begin";
    input Boolean replaceAll = true "All occurrences rather than the first";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output String result "Result";
  protected
    Integer i = startIndex "Begin of what is not copied yet";
    Integer k;
  algorithm
    result := if startIndex > 1 then substring(string, 1, startIndex - 1) else "";
    k := find(string, searchString, startIndex, caseSensitive);
    while k > 0 loop
      result := result + (if k > i then substring(string, i, k - 1) else "") + replaceString;
      i := k + length(searchString);
      k := if replaceAll then find(string, searchString, i, caseSensitive) else 0;
    end while;
    if i <= length(string) then
      result := result + substring(string, i, length(string));
    end if;
  end replace;

  function sort "Texts in alphabetical order"
    input String stringVector1[:] "Texts";
    input Boolean caseSensitive = true "Upper and lower case differ";
    output String stringVector2[size(stringVector1, 1)] "Sorted texts";
  protected
    String s;
    Integer i;
    Boolean before;
  algorithm
    stringVector2 := stringVector1;
    for m in 2:size(stringVector1, 1) loop
      s := stringVector2[m];
      i := m - 1;
      before := true;
      while before loop
        before := if i < 1 then false else compare(s, stringVector2[i], caseSensitive) == Types.Compare.Less;
        if before then
          stringVector2[i + 1] := stringVector2[i];
          i := i - 1;
        end if;
      end while;
      stringVector2[i + 1] := s;
    end for;
  end sort;
end Strings;
