//! What names of other languages and of older libraries are called here, for hints.

/// Names of other languages, what stands for them, in the words of a hint.
const FOREIGN: [(&str, &str); 27] = [
    ("ln", "`log(x)` is the natural logarithm"),
    ("log2", "write `log(x)/log(2)`"),
    ("arcsin", "it is called `asin`"),
    ("arccos", "it is called `acos`"),
    ("arctan", "it is called `atan`"),
    ("arctan2", "it is called `atan2`"),
    ("pow", "write `x^y`"),
    ("sqr", "write `x^2`"),
    ("fabs", "it is called `abs`"),
    ("ceiling", "it is called `ceil`"),
    ("round", "write `floor(x + 0.5)`"),
    ("trunc", "write `if x > 0 then floor(x) else ceil(x)`"),
    ("sgn", "it is called `sign`"),
    ("pi", "write `Modelica.Constants.pi`"),
    ("inf", "write `Modelica.Constants.inf`"),
    ("eps", "write `Modelica.Constants.eps`"),
    (
        "length",
        "`size(x, 1)` is the number of elements of an array",
    ),
    (
        "numel",
        "`size(x, 1)` is the number of elements of a vector",
    ),
    (
        "norm",
        "write `Modelica.Math.Vectors.norm(x)` or `sqrt(x*x)`",
    ),
    ("eye", "write `identity(n)`"),
    ("True", "write `true`"),
    ("False", "write `false`"),
    ("float", "the type is called `Real`"),
    ("double", "the type is called `Real`"),
    (
        "int",
        "the type is called `Integer`; `integer(x)` rounds down",
    ),
    ("bool", "the type is called `Boolean`"),
    ("string", "the type is called `String`"),
];

/// Elements of the Modelica Standard Library before version 4, by its conversion script: class, old name, new name. An empty class stands for any.
const RENAMED: [(&str, &str, &str); 8] = [
    ("Modelica", "SIunits", "Modelica.Units.SI"),
    ("Modelica.Electrical", "QuasiStationary", "QuasiStatic"),
    ("Modelica.Electrical.Analog.Basic", "EMF", "RotationalEMF"),
    ("Modelica.Blocks.Tables", "CombiTable1D", "CombiTable1Dv"),
    ("Modelica.Blocks.Tables", "CombiTable2D", "CombiTable2Ds"),
    ("Modelica.Blocks.Sources", "Clock", "ContinuousClock"),
    (
        "Modelica.Media.Incompressible.TableBased",
        "Polynomials_Temp",
        "Modelica.Math.Polynomials",
    ),
    ("", "freqHz", "f"),
];

/// What a name that is not declared may mean.
pub fn foreign(name: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|f| f.0 == name).map(|f| f.1)
}

/// What a member that a class of the standard library had is called now.
pub fn renamed(class: &str, name: &str) -> Option<String> {
    let found = (RENAMED.iter()).find(|r| (r.0.is_empty() || r.0 == class) && r.1 == name)?;
    class.starts_with("Modelica").then(|| {
        format!(
            "it is `{}` since version 4 of the Modelica Standard Library",
            found.2
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_elements_are_those_of_the_standard_library() {
        let hint = renamed("Modelica.Blocks.Sources.Sine", "freqHz").expect("a hint");
        assert!(hint.contains("`f` since version 4"), "{hint}");
        assert_eq!(renamed("Sources.Sine", "freqHz"), None);
        assert!(renamed("Modelica", "SIunits").is_some_and(|h| h.contains("Modelica.Units.SI")));
        assert_eq!(renamed("Modelica.Blocks", "SIunits"), None);
    }
}
