within Modelica.Electrical.Analog;
package Types "Choices of the analog components"
  type ImpulseApproximation = enumeration(
      DoubleExp "Difference of two exponentials",
      Heidler "Heidler function") "Shape of a lightning impulse";
end Types;
