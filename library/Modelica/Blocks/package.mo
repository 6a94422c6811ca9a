within Modelica;
package Blocks "Signal blocks: sources, mathematics, dynamics, logic, tables"
  import Modelica.Units.SI;
end Blocks;
