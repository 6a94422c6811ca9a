// Blocks.Math.UnitConversions: each pair of blocks is the identity, and one fixed point of each is a definition.
model UnitConversionBlocks
  import Modelica.Blocks.Math.UnitConversions.*;
  Modelica.Blocks.Sources.Constant c(k=300);
  To_degC a1; From_degC b1;
  To_degF a2; From_degF b2;
  To_degRk a3; From_degRk b3;
  To_deg a4; From_deg b4;
  To_rpm a5; From_rpm b5;
  To_kmh a6; From_kmh b6;
  To_day a7; From_day b7;
  To_hour a8; From_hour b8;
  To_minute a9; From_minute b9;
  To_litre a10; From_litre b10;
  To_kWh a11; From_kWh b11;
  To_bar a12; From_bar b12;
  To_gps a13; From_gps b13;
  Real y[13] = {b1.y, b2.y, b3.y, b4.y, b5.y, b6.y, b7.y, b8.y, b9.y, b10.y, b11.y, b12.y, b13.y};
equation
  a1.u = c.y; a2.u = c.y; a3.u = c.y; a4.u = c.y; a5.u = c.y; a6.u = c.y; a7.u = c.y;
  a8.u = c.y; a9.u = c.y; a10.u = c.y; a11.u = c.y; a12.u = c.y; a13.u = c.y;
  connect(a1.y, b1.u); connect(a2.y, b2.u); connect(a3.y, b3.u); connect(a4.y, b4.u); connect(a5.y, b5.u);
  connect(a6.y, b6.u); connect(a7.y, b7.u); connect(a8.y, b8.u); connect(a9.y, b9.u); connect(a10.y, b10.u);
  connect(a11.y, b11.u); connect(a12.y, b12.u); connect(a13.y, b13.u);
  when terminal() then
    for i in 1:13 loop
      assert(abs(y[i] - 300) < 1e-9, "a pair of conversions is not the identity");
    end for;
    assert(abs(a1.y - 26.85) < 1e-9, "degC");
    assert(abs(a6.y - 1080) < 1e-9, "kmh");
  end when;
end UnitConversionBlocks;
