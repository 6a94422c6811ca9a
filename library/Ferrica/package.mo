package Ferrica "Fluid power, transmission lines, bond graphs and benchmark models"
end Ferrica;
