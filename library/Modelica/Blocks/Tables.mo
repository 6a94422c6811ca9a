within Modelica.Blocks;
package Tables "Interpolation of tabulated data"
  block CombiTable1Ds "Several columns over one input"
    extends Interfaces.SIMO(final nout=size(columns, 1));
    extends Internal.Table1DBase;
  equation
    for i in 1:nout loop
      y[i] = if smoothness == Types.Smoothness.ConstantSegments then Internal.getTable1DValueNoDer(tableID, i, u)
        elseif smoothness == Types.Smoothness.LinearSegments then Internal.getTable1DValueNoDer2(tableID, i, u)
        else Internal.getTable1DValue(tableID, i, u);
    end for;
    if verboseExtrapolation and borderIsCrossed then
      assert(noEvent(u >= u_min and u <= u_max), "Table input is outside the table", AssertionLevel.warning);
    end if;
  end CombiTable1Ds;

  block CombiTable1Dv "Several columns, each over its own input"
    extends Interfaces.MIMOs(final n=size(columns, 1));
    extends Internal.Table1DBase;
  equation
    for i in 1:n loop
      y[i] = if smoothness == Types.Smoothness.ConstantSegments then Internal.getTable1DValueNoDer(tableID, i, u[i])
        elseif smoothness == Types.Smoothness.LinearSegments then Internal.getTable1DValueNoDer2(tableID, i, u[i])
        else Internal.getTable1DValue(tableID, i, u[i]);
      if verboseExtrapolation and borderIsCrossed then
        assert(noEvent(u[i] >= u_min and u[i] <= u_max), "Table input is outside the table", AssertionLevel.warning);
      end if;
    end for;
  end CombiTable1Dv;

  block CombiTable2Ds "Surface over two inputs"
    extends Interfaces.SI2SO;
    extends Internal.CombiTable2DBase;
  equation
    y = if smoothness == Types.Smoothness.ConstantSegments then Internal.getTable2DValueNoDer(tableID, u1, u2)
      elseif smoothness == Types.Smoothness.LinearSegments then Internal.getTable2DValueNoDer2(tableID, u1, u2)
      else Internal.getTable2DValue(tableID, u1, u2);
    if verboseExtrapolation and borderIsCrossed then
      assert(noEvent(u1 >= u_min[1] and u1 <= u_max[1] and u2 >= u_min[2] and u2 <= u_max[2]),
        "Table input is outside the table", AssertionLevel.warning);
    end if;
  end CombiTable2Ds;

  block CombiTable2Dv "Surface over pairs of inputs"
    extends Interfaces.MI2MO;
    extends Internal.CombiTable2DBase;
  equation
    for i in 1:n loop
      y[i] = if smoothness == Types.Smoothness.ConstantSegments then Internal.getTable2DValueNoDer(tableID, u1[i], u2[i])
        elseif smoothness == Types.Smoothness.LinearSegments then Internal.getTable2DValueNoDer2(tableID, u1[i], u2[i])
        else Internal.getTable2DValue(tableID, u1[i], u2[i]);
      if verboseExtrapolation and borderIsCrossed then
        assert(noEvent(u1[i] >= u_min[1] and u1[i] <= u_max[1] and u2[i] >= u_min[2] and u2[i] <= u_max[2]),
          "Table input is outside the table", AssertionLevel.warning);
      end if;
    end for;
  end CombiTable2Dv;

  package Internal "Parts shared by the table blocks"
    partial block TableData "Where the numbers come from and how they are read"
      parameter Boolean tableOnFile = false "= true, if the matrix is in a file" annotation(Evaluate=true);
      parameter Real table[:, :] = fill(0.0, 0, 2) "Matrix";
      parameter String tableName = "NoName" "Name of the matrix in the file";
      parameter String fileName = "NoName" "File with the matrix";
      parameter String delimiter = "," "Separates columns of a CSV file";
      parameter Integer nHeaderLines = 0 "Lines to skip in a CSV file";
      parameter Boolean verboseRead = true "Report reading of a file";
      parameter Types.Smoothness smoothness = Types.Smoothness.LinearSegments "Curve between points" annotation(Evaluate=true);
      parameter Types.Extrapolation extrapolation = Types.Extrapolation.LastTwoPoints "Curve outside the table";
      parameter Boolean verboseExtrapolation = false "Warn when the input is outside";
    protected
      final parameter Boolean isCsvExt = if tableOnFile then isCsv(fileName) else false "The file is a CSV file";
      final parameter String sourceName = if not tableOnFile then "NoName" elseif isCsvExt then "Values" else tableName
        "Matrix name for the reader";
      final parameter String sourceFile = if tableOnFile and fileName <> "" then fileName else "NoName"
        "File name for the reader";
      final parameter Boolean borderIsCrossed = extrapolation == Types.Extrapolation.LastTwoPoints
        or extrapolation == Types.Extrapolation.HoldLastPoint "Values outside are made up";
    equation
      if tableOnFile then
        assert(tableName <> "NoName" or isCsvExt, "tableOnFile = true needs a tableName");
      else
        assert(size(table, 1) > 0 and size(table, 2) > 0, "tableOnFile = false needs a matrix table");
      end if;
    end TableData;

    partial block Table1DBase "Handle of a table over one variable"
      extends TableData;
      parameter Integer columns[:] = 2:size(table, 2) "Columns to interpolate";
      final parameter Real u_min = getTable1DAbscissaUmin(tableID) "First abscissa";
      final parameter Real u_max = getTable1DAbscissaUmax(tableID) "Last abscissa";
    protected
      parameter Types.ExternalCombiTable1D tableID = Types.ExternalCombiTable1D(
        sourceName, sourceFile, table, columns, smoothness, extrapolation,
        tableOnFile and verboseRead, delimiter, nHeaderLines) "Table";
    end Table1DBase;

    partial block CombiTable2DBase "Handle of a table over two variables"
      extends TableData;
      final parameter Real u_min[2] = getTable2DAbscissaUmin(tableID) "First abscissas";
      final parameter Real u_max[2] = getTable2DAbscissaUmax(tableID) "Last abscissas";
    protected
      parameter Types.ExternalCombiTable2D tableID = Types.ExternalCombiTable2D(
        sourceName, sourceFile, table, smoothness, extrapolation,
        tableOnFile and verboseRead, delimiter, nHeaderLines) "Table";
    end CombiTable2DBase;

    function isCsv "Whether a file name ends with .csv"
      input String fileName;
      output Boolean result;
    protected
      Integer n = Modelica.Utilities.Strings.length(fileName);
    algorithm
      result := n > 4 and Modelica.Utilities.Strings.isEqual(
        Modelica.Utilities.Strings.substring(fileName, max(n - 3, 1), n), ".csv", caseSensitive=false);
    end isCsv;

    pure function getTimeTableValue "Value of a time table, twice differentiable"
      input Types.ExternalCombiTimeTable tableID;
      input Integer icol;
      input Real timeIn;
      input Real nextTimeEvent;
      input Real pre_nextTimeEvent;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_getValue(tableID, icol, timeIn, nextTimeEvent, pre_nextTimeEvent)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative(noDerivative=nextTimeEvent, noDerivative=pre_nextTimeEvent)=getDerTimeTableValue);
    end getTimeTableValue;

    pure function getTimeTableValueNoDer "Value of a time table, not differentiable"
      input Types.ExternalCombiTimeTable tableID;
      input Integer icol;
      input Real timeIn;
      input Real nextTimeEvent;
      input Real pre_nextTimeEvent;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_getValue(tableID, icol, timeIn, nextTimeEvent, pre_nextTimeEvent)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTimeTableValueNoDer;

    pure function getTimeTableValueNoDer2 "Value of a time table, once differentiable"
      input Types.ExternalCombiTimeTable tableID;
      input Integer icol;
      input Real timeIn;
      input Real nextTimeEvent;
      input Real pre_nextTimeEvent;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_getValue(tableID, icol, timeIn, nextTimeEvent, pre_nextTimeEvent)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative(noDerivative=nextTimeEvent, noDerivative=pre_nextTimeEvent)=getDerTimeTableValueNoDer);
    end getTimeTableValueNoDer2;

    pure function getDerTimeTableValue "Derivative of a time table"
      input Types.ExternalCombiTimeTable tableID;
      input Integer icol;
      input Real timeIn;
      input Real nextTimeEvent;
      input Real pre_nextTimeEvent;
      input Real der_timeIn;
      output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTimeTable_getDerValue(tableID, icol, timeIn, nextTimeEvent, pre_nextTimeEvent, der_timeIn)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative(order=2, noDerivative=nextTimeEvent, noDerivative=pre_nextTimeEvent)=getDer2TimeTableValue);
    end getDerTimeTableValue;

    pure function getDerTimeTableValueNoDer "Derivative of a time table, not differentiable"
      input Types.ExternalCombiTimeTable tableID;
      input Integer icol;
      input Real timeIn;
      input Real nextTimeEvent;
      input Real pre_nextTimeEvent;
      input Real der_timeIn;
      output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTimeTable_getDerValue(tableID, icol, timeIn, nextTimeEvent, pre_nextTimeEvent, der_timeIn)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getDerTimeTableValueNoDer;

    pure function getDer2TimeTableValue "Second derivative of a time table"
      input Types.ExternalCombiTimeTable tableID;
      input Integer icol;
      input Real timeIn;
      input Real nextTimeEvent;
      input Real pre_nextTimeEvent;
      input Real der_timeIn;
      input Real der2_timeIn;
      output Real der2_y;
    external "C" der2_y = ModelicaStandardTables_CombiTimeTable_getDer2Value(tableID, icol, timeIn, nextTimeEvent, pre_nextTimeEvent, der_timeIn, der2_timeIn)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getDer2TimeTableValue;

    pure function getTimeTableTmin "First time of a table"
      input Types.ExternalCombiTimeTable tableID;
      output Real timeMin;
    external "C" timeMin = ModelicaStandardTables_CombiTimeTable_minimumTime(tableID)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTimeTableTmin;

    pure function getTimeTableTmax "Last time of a table"
      input Types.ExternalCombiTimeTable tableID;
      output Real timeMax;
    external "C" timeMax = ModelicaStandardTables_CombiTimeTable_maximumTime(tableID)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTimeTableTmax;

    pure function getNextTimeEvent "Next time event of a table"
      input Types.ExternalCombiTimeTable tableID;
      input Real timeIn;
      output Real nextTimeEvent;
    external "C" nextTimeEvent = ModelicaStandardTables_CombiTimeTable_nextTimeEvent(tableID, timeIn)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getNextTimeEvent;

    pure function getTable1DValue "Value of a table over one variable, twice differentiable"
      input Types.ExternalCombiTable1D tableID;
      input Integer icol;
      input Real u;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(tableID, icol, u)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative=getDerTable1DValue);
    end getTable1DValue;

    pure function getTable1DValueNoDer "Value of a table over one variable, not differentiable"
      input Types.ExternalCombiTable1D tableID;
      input Integer icol;
      input Real u;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(tableID, icol, u)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTable1DValueNoDer;

    pure function getTable1DValueNoDer2 "Value of a table over one variable, once differentiable"
      input Types.ExternalCombiTable1D tableID;
      input Integer icol;
      input Real u;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(tableID, icol, u)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative=getDerTable1DValueNoDer);
    end getTable1DValueNoDer2;

    pure function getDerTable1DValue "Derivative of a table over one variable"
      input Types.ExternalCombiTable1D tableID;
      input Integer icol;
      input Real u;
      input Real der_u;
      output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTable1D_getDerValue(tableID, icol, u, der_u)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative(order=2)=getDer2Table1DValue);
    end getDerTable1DValue;

    pure function getDerTable1DValueNoDer "Derivative of a table over one variable, not differentiable"
      input Types.ExternalCombiTable1D tableID;
      input Integer icol;
      input Real u;
      input Real der_u;
      output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTable1D_getDerValue(tableID, icol, u, der_u)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getDerTable1DValueNoDer;

    pure function getDer2Table1DValue "Second derivative of a table over one variable"
      input Types.ExternalCombiTable1D tableID;
      input Integer icol;
      input Real u;
      input Real der_u;
      input Real der2_u;
      output Real der2_y;
    external "C" der2_y = ModelicaStandardTables_CombiTable1D_getDer2Value(tableID, icol, u, der_u, der2_u)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getDer2Table1DValue;

    pure function getTable1DAbscissaUmin "First abscissa of a table over one variable"
      input Types.ExternalCombiTable1D tableID;
      output Real uMin;
    external "C" uMin = ModelicaStandardTables_CombiTable1D_minimumAbscissa(tableID)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTable1DAbscissaUmin;

    pure function getTable1DAbscissaUmax "Last abscissa of a table over one variable"
      input Types.ExternalCombiTable1D tableID;
      output Real uMax;
    external "C" uMax = ModelicaStandardTables_CombiTable1D_maximumAbscissa(tableID)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTable1DAbscissaUmax;

    pure function getTable2DValue "Value of a table over two variables, twice differentiable"
      input Types.ExternalCombiTable2D tableID;
      input Real u1;
      input Real u2;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTable2D_getValue(tableID, u1, u2)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative=getDerTable2DValue);
    end getTable2DValue;

    pure function getTable2DValueNoDer "Value of a table over two variables, not differentiable"
      input Types.ExternalCombiTable2D tableID;
      input Real u1;
      input Real u2;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTable2D_getValue(tableID, u1, u2)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTable2DValueNoDer;

    pure function getTable2DValueNoDer2 "Value of a table over two variables, once differentiable"
      input Types.ExternalCombiTable2D tableID;
      input Real u1;
      input Real u2;
      output Real y;
    external "C" y = ModelicaStandardTables_CombiTable2D_getValue(tableID, u1, u2)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative=getDerTable2DValueNoDer);
    end getTable2DValueNoDer2;

    pure function getDerTable2DValue "Derivative of a table over two variables"
      input Types.ExternalCombiTable2D tableID;
      input Real u1;
      input Real u2;
      input Real der_u1;
      input Real der_u2;
      output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTable2D_getDerValue(tableID, u1, u2, der_u1, der_u2)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
      annotation(derivative(order=2)=getDer2Table2DValue);
    end getDerTable2DValue;

    pure function getDerTable2DValueNoDer "Derivative of a table over two variables, not differentiable"
      input Types.ExternalCombiTable2D tableID;
      input Real u1;
      input Real u2;
      input Real der_u1;
      input Real der_u2;
      output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTable2D_getDerValue(tableID, u1, u2, der_u1, der_u2)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getDerTable2DValueNoDer;

    pure function getDer2Table2DValue "Second derivative of a table over two variables"
      input Types.ExternalCombiTable2D tableID;
      input Real u1;
      input Real u2;
      input Real der_u1;
      input Real der_u2;
      input Real der2_u1;
      input Real der2_u2;
      output Real der2_y;
    external "C" der2_y = ModelicaStandardTables_CombiTable2D_getDer2Value(tableID, u1, u2, der_u1, der_u2, der2_u1, der2_u2)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getDer2Table2DValue;

    pure function getTable2DAbscissaUmin "First abscissa of a table over two variables"
      input Types.ExternalCombiTable2D tableID;
      output Real uMin[2];
    external "C" ModelicaStandardTables_CombiTable2D_minimumAbscissa(tableID, uMin)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTable2DAbscissaUmin;

    pure function getTable2DAbscissaUmax "Last abscissa of a table over two variables"
      input Types.ExternalCombiTable2D tableID;
      output Real uMax[2];
    external "C" ModelicaStandardTables_CombiTable2D_maximumAbscissa(tableID, uMax)
      annotation(Library={"ModelicaStandardTables", "ModelicaIO", "ModelicaMatIO", "zlib"});
    end getTable2DAbscissaUmax;
  end Internal;
end Tables;
