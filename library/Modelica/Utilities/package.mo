within Modelica;
package Utilities "Text, messages and types"
end Utilities;
