within Ferrica;
package FMU "Models from archives of the Functional Mock-up Interface; `ferrica import` writes blocks with them"

  class Unit "An instance of an FMU"
    extends ExternalObject;

    function constructor "Makes an instance"
      input String file "Archive";
      input String token "Instantiation token of the description";
      input String name "Name of the instance";
      input Boolean exchange "Model Exchange, else Co-Simulation";
      input Real tolerance "Relative tolerance";
      input Real numbers[:] "Values of parameters, in the order of the description";
      input String texts[:] "Those that are texts";
      output Unit unit "Instance";
      external "C" unit = ferrica_fmu_new(file, token, name, exchange, tolerance, numbers, texts);
    end constructor;

    function destructor "Ends it"
      input Unit unit "Instance";
      external "C" ferrica_fmu_free(unit);
    end destructor;
  end Unit;

  function start "Initializes an instance"
    input Unit unit "Instance";
    input Real t "Time";
    input Real u[:] "Inputs";
    input Integer nx "Number of states";
    input Integer nd "Number of discrete values";
    output Real x[nx] "States";
    output Real next "Time of the next event";
    output Real ended "1 if the FMU ends the run";
    output Real d[nd] "Discrete values";
    external "C" ferrica_fmu_start(unit, t, u, x, next, ended, d);
  end start;

  function event "Settles an event"
    input Unit unit "Instance";
    input Integer events "Events before this one";
    input Real t "Time";
    input Real x[:] "States before the event";
    input Real u[:] "Inputs";
    input Integer nd "Number of discrete values";
    input Real sides[:] = fill(0.0, 0) "Indicators that have changed: 1 if positive now, -1 if not, 0 for others";
    output Real xn[size(x, 1)] "States after it";
    output Real next "Time of the next event";
    output Real ended "1 if the FMU ends the run";
    output Real d[nd] "Discrete values";
    external "C" ferrica_fmu_event(unit, events, t, x, u, sides, xn, next, ended, d);
  end event;

  function derivatives "Derivatives of the states"
    input Unit unit "Instance";
    input Integer events "Events so far";
    input Real t "Time";
    input Real x[:] "States";
    input Real u[:] "Inputs";
    output Real dx[size(x, 1)] "Derivatives";
    external "C" ferrica_fmu_derivatives(unit, events, t, x, u, dx);
  end derivatives;

  function indicators "Event indicators"
    input Unit unit "Instance";
    input Integer events "Events so far";
    input Real t "Time";
    input Real x[:] "States";
    input Real u[:] "Inputs";
    input Integer nz "Number of indicators";
    output Real z[nz] "Indicators";
    external "C" ferrica_fmu_indicators(unit, events, t, x, u, z);
  end indicators;

  function values "Continuous variables of one group"
    input Unit unit "Instance";
    input Integer events "Events so far";
    input Real t "Time";
    input Real x[:] "States";
    input Real u[:] "Inputs that the group depends on";
    input Integer group "Number of the group";
    input Integer n "Number of values";
    output Real v[n] "Values";
    external "C" ferrica_fmu_values(unit, events, t, x, u, group, v);
  end values;

  function step "Goes on to a later time"
    input Unit unit "Instance";
    input Real t "Time at the end of the step";
    input Real u[:] "Inputs during the step";
    input Integer n "Number of values";
    output Real ended "1 if the FMU ends the run";
    output Real v[n] "Values at the end of the step";
    external "C" ferrica_fmu_step(unit, t, u, ended, v);
  end step;

  class Master "Units for Co-Simulation that are led together"
    extends ExternalObject;

    function constructor "Begins without units"
      input Real tolerance "Relative error of a step in what units tell each other; 0: steps are those of the model";
      output Master master "Master";
      external "C" master = ferrica_fmu_master(tolerance);
    end constructor;

    function destructor "Ends it"
      input Master master "Master";
      external "C" ferrica_fmu_free(master);
    end destructor;
  end Master;

  impure function join "Adds a unit"
    input Master master "Master";
    input Unit unit "Instance";
    input String name "Its name in the system";
    input String links[:] "Where inputs come from";
    output Integer member "Number of the unit";
    external "C" member = ferrica_fmu_join(master, unit, name, links);
  end join;

  function begin "Initializes a unit with inputs of its own: what it is connected to is settled with all units at the first exchange"
    input Unit unit "Instance";
    input Real t "Time";
    input Integer n "Number of values";
    output Real ended "1 if the FMU ends the run";
    output Real v[n] "Values";
    external "C" ferrica_fmu_begin(unit, t, ended, v);
  end begin;

  function hold "Inputs of a unit until the next exchange"
    input Master master "Master";
    input Integer member "Number of the unit";
    input Real u[:] "Inputs";
    output Real held[size(u, 1)] "The same";
    external "C" ferrica_fmu_hold(master, member, u, held);
  end hold;

  function advance "Takes all units to a later time"
    input Master master "Master";
    input Integer member "Number of the unit";
    input Unit unit "Instance";
    input Real t "Time";
    input Real u[:] "Inputs that were held";
    input Integer n "Number of values";
    output Real ended "1 if the FMU ends the run";
    output Real v[n] "Values then";
    external "C" ferrica_fmu_advance(master, member, unit, t, u, ended, v);
  end advance;

end FMU;
