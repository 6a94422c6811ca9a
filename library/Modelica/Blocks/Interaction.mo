within Modelica.Blocks;
package Interaction "Blocks for the eyes of a user"
  package Show "Displays; without a graphical editor they only carry the value"
    block RealValue "Shows a Real"
      parameter Boolean use_numberPort = true "The value comes from the connector";
      input Real number = 0.0 "Value, if not from the connector";
      parameter Integer significantDigits(min=1) = 2 "Digits to show";
      Interfaces.RealInput numberPort if use_numberPort "Value";
      Interfaces.RealOutput showNumber "Value shown";
    equation
      if use_numberPort then
        connect(numberPort, showNumber);
      else
        showNumber = number;
      end if;
    end RealValue;

    block IntegerValue "Shows an Integer"
      parameter Boolean use_numberPort = true "The value comes from the connector";
      input Integer number = 0 "Value, if not from the connector";
      Interfaces.IntegerInput numberPort if use_numberPort "Value";
      Interfaces.IntegerOutput showNumber "Value shown";
    equation
      if use_numberPort then
        connect(numberPort, showNumber);
      else
        showNumber = number;
      end if;
    end IntegerValue;

    block BooleanValue "Shows a Boolean"
      parameter Boolean use_activePort = true "The value comes from the connector";
      input Boolean active = false "Value, if not from the connector";
      Interfaces.BooleanInput activePort if use_activePort "Value"
        annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
      Interfaces.BooleanOutput showActive "Value shown";
    equation
      if use_activePort then
        connect(activePort, showActive);
      else
        showActive = active;
      end if;
    end BooleanValue;
  end Show;
end Interaction;
