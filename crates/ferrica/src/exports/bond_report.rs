//! The bond graph of a model for the command line: as text, as pictures, as a model of `Ferrica.Bonds`, with what the ordinary
//! solvers make of the model.

use ferrica_bond::qbg::{self, Options};
use ferrica_bond::{Analysis, build, draw, modelica};
use ferrica_ir::causal::{Block, CausalModel};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::print::counted;
use ferrica_ir::{Diagnostic, Span};

use crate::failure::Failure;
use crate::options::ModelOptions;
use crate::stages::grid::Grid;
use crate::stages::pipeline;
use crate::stages::report::Report;
use crate::stages::stats::Stats;

/// The graph after some step of its construction.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
/// let graph = ferrica::exports::bond_report::BondReport::new(&options, u8::MAX, &mut log)?;
/// assert!(graph.text.contains("Ferrica simulates the model as it is: 1 state"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct BondReport {
    analysis: Analysis,
    name: String,
    /// What the causality says, and at what cost the model is simulated.
    pub text: String,
}

impl BondReport {
    /// The graph of a model; its errors are told already where the failure says so.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
    /// let graph = ferrica::exports::bond_report::BondReport::new(&options, u8::MAX, &mut log)?;
    /// assert!(graph.multiports().is_empty());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn new(
        options: &ModelOptions,
        step: u8,
        report: &mut dyn Report,
    ) -> Result<BondReport, Failure> {
        let mut stats = Stats::default();
        let loaded = pipeline::load(options, report, &mut stats)?;
        let flat = pipeline::flatten(&loaded, &options.params, report, &mut stats)?;
        let analysis = ferrica_bond::analyse(&flat, step);
        report.diagnostics(&analysis.diagnostics);
        if analysis.diagnostics.iter().any(|d| d.is_error()) {
            return Err(Failure::Answered);
        }
        let mut text = analysis.report.clone();
        if step >= build::LAST_STEP {
            text.push_str(&handling(flat, &analysis));
        }
        Ok(BondReport {
            analysis,
            name: loaded.name,
            text,
        })
    }

    /// Components that fit no single element.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
    /// let graph = ferrica::exports::bond_report::BondReport::new(&options, u8::MAX, &mut log)?;
    /// assert!(graph.multiports().is_empty());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn multiports(&self) -> &[String] {
        &self.analysis.built.multiports
    }

    /// Elements and bonds as text.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
    /// let graph = ferrica::exports::bond_report::BondReport::new(&options, u8::MAX, &mut log)?;
    /// assert!(graph.listed().contains("R") && graph.listed().contains("C"));
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn listed(&self) -> String {
        format!("{}", self.analysis.built.graph)
    }

    /// For Graphviz.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
    /// let graph = ferrica::exports::bond_report::BondReport::new(&options, u8::MAX, &mut log)?;
    /// assert!(graph.dot().starts_with("digraph"));
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn dot(&self) -> String {
        draw::dot(&self.analysis.built.graph, &self.analysis.causality)
    }

    /// As a picture.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
    /// let graph = ferrica::exports::bond_report::BondReport::new(&options, u8::MAX, &mut log)?;
    /// assert!(graph.svg().contains("Bond graph of RC"));
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn svg(&self) -> String {
        let title = format!("Bond graph of {}", self.name);
        draw::svg(&self.analysis.built.graph, &self.analysis.causality, &title)
    }
}

/// What the ordinary solvers make of the model, and at what cost.
fn handling(flat: FlatModel, analysis: &Analysis) -> String {
    let options = ferrica_structure::Options::default();
    match ferrica_structure::compile(flat, &options) {
        Ok(compiled) => cost(&compiled.model, analysis),
        Err(list) => {
            let first = list.first().map_or("", |d| d.message.as_str());
            format!("Ferrica cannot simulate the model as it is: {first}\n")
        }
    }
}

fn cost(model: &CausalModel, analysis: &Analysis) -> String {
    let causality = &analysis.causality;
    let (mut systems, mut largest, mut nonlinear) = (0, 0, 0);
    for block in &model.blocks {
        let unknowns = match block {
            Block::Assign(_) => continue,
            Block::Linear(l) => l.unknowns.len(),
            Block::Nonlinear(n) => {
                nonlinear += 1;
                n.unknowns.len()
            }
        };
        systems += 1;
        largest = largest.max(unknowns);
    }
    let count = counted;
    let states = count(model.states.len(), "state");
    let reduced = if causality.dependent.is_empty() {
        String::new()
    } else {
        format!(
            ", {} removed by index reduction",
            count(causality.dependent.len(), "dependent storage")
        )
    };
    let solved = match (systems, nonlinear) {
        (0, _) => "every equation is solved by itself".to_owned(),
        (n, 0) => format!(
            "{}, the largest with {} after tearing",
            count(n, "linear system"),
            count(largest, "unknown")
        ),
        (n, k) => format!(
            "{} ({k} nonlinear), the largest with {} after tearing",
            count(n, "system"),
            count(largest, "unknown")
        ),
    };
    format!("Ferrica simulates the model as it is: {states}{reduced}; at each step {solved}.\n")
}

/// The graph as a model of `Ferrica.Bonds`, with this name.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
/// let text = ferrica::exports::bond_report::as_model(&options, "Graph", &mut log)?;
/// assert!(text.contains("model Graph") && text.contains("Ferrica.Bonds"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn as_model(
    options: &ModelOptions,
    name: &str,
    report: &mut dyn Report,
) -> Result<String, Failure> {
    let compiled = pipeline::compile_for(options, true, report, &mut Stats::default())?;
    let Some(flat) = &compiled.flat else {
        return Ok(String::new());
    };
    let experiment = Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    let plan = ferrica_sim::Experiment {
        start: experiment.start,
        stop: experiment.stop,
        values: compiled.values.clone(),
        ..ferrica_sim::Experiment::of(&compiled.model)
    };
    let prepared =
        qbg::prepare(flat, &compiled.model, &plan).map_err(|e| Failure::model(e.diagnostic()))?;
    let described = prepared
        .describe(&Options::new(&plan))
        .map_err(Failure::model)?;
    let graph = &prepared.analysis.built.graph;
    modelica::modelica(graph, &described, name).map_err(|n| {
        Failure::model(Diagnostic::error(
            "E0414",
            Span::NONE,
            format!(
                "`{}` has no counterpart in Ferrica.Bonds",
                graph.nodes[n].name
            ),
        ))
    })
}
