within Modelica.Thermal;
package HeatTransfer "Heat storage, conduction, convection and radiation in lumped form"
end HeatTransfer;
