//! The model as a coupled DEVS model, for other tools.

use ferrica_ir::{Diagnostic, Span};
use ferrica_qss::export::{cdpp::cdpp, picture, powerdevs, structure};
use ferrica_qss::{Family, Method};

use crate::engines::bond_graph;
use crate::failure::Failure;
use crate::stages::pipeline::Compiled;

/// Quantum of the exported integrators if the model does not say.
const TOLERANCE: f64 = 1e-4;

/// The tool the files are for.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile_for(&options, true, &mut log, &mut stats)?;
/// use ferrica::exports::coupled::{Coupled, Target, coupled};
/// let target = Target::Cdpp { stop: Some(1.0) };
/// let exported: Coupled = coupled(&compiled, target, None)?;
/// assert!(exported.files.iter().any(|f| f.0.ends_with(".ma")));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'a> {
    /// PowerDEVS, with a method for its integrators and the end of its run.
    Powerdevs { method: &'a str, stop: Option<f64> },
    /// CD++: the bond graph where there is one, with a run until then in mind; the model was compiled with its flat form.
    Cdpp { stop: Option<f64> },
}

/// Files with what there is to say of them.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile_for(&options, true, &mut log, &mut stats)?;
/// use ferrica::exports::coupled::{Coupled, Target, coupled};
/// let target = Target::Powerdevs { method: "qss2", stop: None };
/// let exported: Coupled = coupled(&compiled, target, Some(1e-3))?;
/// assert!(exported.blocks > 0 && exported.couplings > 0);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Coupled {
    /// Name and text of each file: the model, and two pictures of it.
    pub files: Vec<(String, String)>,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
    pub blocks: usize,
    pub couplings: usize,
}

/// The files for a tool.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile_for(&options, true, &mut log, &mut stats)?;
/// use ferrica::exports::coupled::{Coupled, Target, coupled};
/// let target = Target::Powerdevs { method: "qss9", stop: None };
/// assert!(coupled(&compiled, target, None).is_err());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn coupled(
    compiled: &Compiled,
    target: Target,
    tolerance: Option<f64>,
) -> Result<Coupled, Failure> {
    let model = &compiled.model;
    if model.remembered().next().is_some() {
        let text = "`delay` has no block in the coupled models of other tools";
        let error = Diagnostic::error("E0623", Span::NONE, text.to_owned());
        return Err(Failure::model(error));
    }
    let given = tolerance.or(model.source.experiment.tolerance);
    let tolerance = given.unwrap_or(TOLERANCE);
    if tolerance.is_nan() || tolerance <= 0.0 {
        return Err(Failure::usage(format!(
            "--tol {tolerance}: a quantum is positive"
        )));
    }
    let stem = powerdevs::file_stem(&compiled.name);
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    let mut files = match target {
        Target::Powerdevs { method, stop } => {
            let target = powerdevs::Target {
                method: integrator(method)?,
                tolerance,
                stop,
            };
            let exported = powerdevs::powerdevs(model, &target).map_err(Failure::Model)?;
            warnings = exported.warnings;
            exported.files
        }
        Target::Cdpp { stop } => match bond_graph::cdpp(compiled, tolerance, stop)? {
            Ok(text) => {
                let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
                let mut files = vec![(format!("{stem}.ma"), text)];
                files.extend(ferrica_bond::cdpp::CODE.map(own));
                files
            }
            Err(why) => {
                notes.push(format!(
                    "{why}; its states and derivatives are exported instead"
                ));
                cdpp(model)
            }
        },
    };
    let coupled = structure(model);
    files.push((format!("{stem}.dot"), picture::dot(&coupled)));
    files.push((format!("{stem}.svg"), picture::svg(&coupled)));
    Ok(Coupled {
        files,
        warnings,
        notes,
        blocks: coupled.blocks.len(),
        couplings: coupled.couplings.len(),
    })
}

/// The method of a word, of those that the integrators of PowerDEVS have.
fn integrator(word: &str) -> Result<Method, Failure> {
    let known = Method::parse(word).filter(|m| m.family != Family::ModifiedLiqss);
    known.ok_or_else(|| {
        Failure::usage(format!(
            "--solver {word}: the integrators have qss1, qss2, qss3, liqss1, liqss2, liqss3 and cqss"
        ))
    })
}
