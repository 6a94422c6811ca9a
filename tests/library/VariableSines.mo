// Sine and cosine with variable frequency: with f = time the phase is pi time^2.
model VariableSines
  import Modelica.Constants.pi;
  Modelica.Blocks.Sources.SineVariableFrequencyAndAmplitude sine(offset=1, useConstantAmplitude=true, constantAmplitude=2);
  Modelica.Blocks.Sources.CosineVariableFrequencyAndAmplitude cosine(useConstantFrequency=true, constantFrequency=3);
  Real d = abs(sine.y - 1 - 2*sin(pi*time^2)) + abs(cosine.y - (1 + time)*cos(6*pi*time));
equation
  sine.f = time;
  cosine.amplitude = 1 + time;
  when sample(0.005, 0.01) then
    assert(d < 1e-4, "variable frequency");
  end when;
end VariableSines;
