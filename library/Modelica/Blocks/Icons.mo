within Modelica.Blocks;
package Icons "Empty base classes of the blocks"
  partial block Block "Continuous block"
  end Block;

  partial block DiscreteBlock "Sampled block"
  end DiscreteBlock;

  partial block IntegerBlock "Integer block"
  end IntegerBlock;

  partial block BooleanBlock "Boolean block"
  end BooleanBlock;

  partial block PartialBooleanBlock "Boolean logic block"
  end PartialBooleanBlock;
end Icons;
