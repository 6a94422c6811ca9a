within Modelica.Blocks;
package Types "Choices and external objects of the blocks"
  type Smoothness = enumeration(
      LinearSegments "Straight lines between the points",
      ContinuousDerivative "Akima spline",
      ConstantSegments "Steps",
      MonotoneContinuousDerivative1 "Fritsch-Butland spline",
      MonotoneContinuousDerivative2 "Steffen spline",
      ModifiedContinuousDerivative "Modified Akima spline") "Curve between table points";

  type Extrapolation = enumeration(
      HoldLastPoint "Keep the value at the border",
      LastTwoPoints "Continue with the slope at the border",
      Periodic "Repeat the table",
      NoExtrapolation "Outside the table is an error") "Curve outside the table";

  type TimeEvents = enumeration(
      Always "At every point",
      AtDiscontinuities "At jumps only",
      NoTimeEvents "Nowhere") "Where a time table makes events";

  type Init = enumeration(
      NoInit "Start values are guesses",
      SteadyState "Derivatives are zero",
      InitialState "States have their start values",
      InitialOutput "The output has its start value") "How a block is initialized";

  type SimpleController = enumeration(
      P "Proportional",
      PI "Proportional, integral",
      PD "Proportional, derivative",
      PID "Proportional, integral, derivative") "Parts of a controller";

  type AnalogFilter = enumeration(
      CriticalDamping "All poles equal",
      Bessel "Nearly constant group delay",
      Butterworth "Flat pass band",
      ChebyshevI "Ripple in the pass band, steep edge") "Pole pattern of a filter";

  type FilterType = enumeration(
      LowPass "Low frequencies pass",
      HighPass "High frequencies pass",
      BandPass "A band passes",
      BandStop "A band is blocked") "Frequencies that pass a filter";

  type Regularization = enumeration(
      Exp "Exponential",
      Sine "Sinusoidal",
      Linear "Linear",
      Cosine "Cosine") "Smoothing of a jump";

  type LimiterHomotopy = enumeration(
      NoHomotopy "Limit from the start",
      Linear "Start without limits",
      UpperLimit "Start at the upper limit",
      LowerLimit "Start at the lower limit") "Start of a limiter for initialization";

  type VariableLimiterHomotopy = enumeration(
      NoHomotopy "Limit from the start",
      Linear "Start without limits",
      Fixed "Start at a fixed value") "Start of a variable limiter for initialization";

  class ExternalCombiTimeTable "Handle of a table over time"
    extends ExternalObject;

    function constructor "Set up the table"
      input String tableName "Name of the matrix in the file";
      input String fileName "File, or NoName";
      input Real table[:, :] "Matrix, if not from a file";
      input Real startTime "Output is zero before";
      input Integer columns[:] "Columns to interpolate";
      input Types.Smoothness smoothness "Curve between points";
      input Types.Extrapolation extrapolation "Curve outside";
      input Real shiftTime = 0.0 "Shift of the first column";
      input Types.TimeEvents timeEvents = Types.TimeEvents.Always "Where events are";
      input Boolean verboseRead = true "Report reading of a file";
      input String delimiter = "," "Separates columns of a CSV file";
      input Integer nHeaderLines = 0 "Lines to skip in a CSV file";
      output ExternalCombiTimeTable externalCombiTimeTable;
    external "C" externalCombiTimeTable = ModelicaStandardTables_CombiTimeTable_init3(
      fileName, tableName, table, size(table, 1), size(table, 2), startTime, columns, size(columns, 1),
      smoothness, extrapolation, shiftTime, timeEvents, verboseRead, delimiter, nHeaderLines)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end constructor;

    function destructor "Free the table"
      input ExternalCombiTimeTable externalCombiTimeTable;
    external "C" ModelicaStandardTables_CombiTimeTable_close(externalCombiTimeTable)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end destructor;
  end ExternalCombiTimeTable;

  class ExternalCombiTable1D "Handle of a table over one variable"
    extends ExternalObject;

    function constructor "Set up the table"
      input String tableName "Name of the matrix in the file";
      input String fileName "File, or NoName";
      input Real table[:, :] "Matrix, if not from a file";
      input Integer columns[:] "Columns to interpolate";
      input Types.Smoothness smoothness "Curve between points";
      input Types.Extrapolation extrapolation = Types.Extrapolation.LastTwoPoints "Curve outside";
      input Boolean verboseRead = true "Report reading of a file";
      input String delimiter = "," "Separates columns of a CSV file";
      input Integer nHeaderLines = 0 "Lines to skip in a CSV file";
      output ExternalCombiTable1D externalCombiTable1D;
    external "C" externalCombiTable1D = ModelicaStandardTables_CombiTable1D_init3(
      fileName, tableName, table, size(table, 1), size(table, 2), columns, size(columns, 1),
      smoothness, extrapolation, verboseRead, delimiter, nHeaderLines)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end constructor;

    function destructor "Free the table"
      input ExternalCombiTable1D externalCombiTable1D;
    external "C" ModelicaStandardTables_CombiTable1D_close(externalCombiTable1D)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end destructor;
  end ExternalCombiTable1D;

  class ExternalCombiTable2D "Handle of a table over two variables"
    extends ExternalObject;

    function constructor "Set up the table"
      input String tableName "Name of the matrix in the file";
      input String fileName "File, or NoName";
      input Real table[:, :] "Matrix, if not from a file";
      input Types.Smoothness smoothness "Curve between points";
      input Types.Extrapolation extrapolation = Types.Extrapolation.LastTwoPoints "Curve outside";
      input Boolean verboseRead = true "Report reading of a file";
      input String delimiter = "," "Separates columns of a CSV file";
      input Integer nHeaderLines = 0 "Lines to skip in a CSV file";
      output ExternalCombiTable2D externalCombiTable2D;
    external "C" externalCombiTable2D = ModelicaStandardTables_CombiTable2D_init3(
      fileName, tableName, table, size(table, 1), size(table, 2),
      smoothness, extrapolation, verboseRead, delimiter, nHeaderLines)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end constructor;

    function destructor "Free the table"
      input ExternalCombiTable2D externalCombiTable2D;
    external "C" ModelicaStandardTables_CombiTable2D_close(externalCombiTable2D)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end destructor;
  end ExternalCombiTable2D;
end Types;
