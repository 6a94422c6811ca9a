//! The bond graph of a model.

use ferrica_bond::{analyse, build, draw};

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::failure::Failure;
use crate::model::Model;

/// A bond graph with its causal strokes: as pictures and in words.
///
/// ```
/// # use ferrica::*;
/// let text = "model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 1); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1);
///   Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;";
/// let graph = Model::from_text(text)?.bond_graph()?;
/// assert!(graph.svg.starts_with("<svg") && graph.dot.contains("digraph"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BondGraph {
    /// SVG text.
    pub svg: String,
    /// For Graphviz.
    pub dot: String,
    /// What the causality says of the model.
    pub report: String,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Model {
    /// The bond graph of the model.
    ///
    /// ```
    /// # use ferrica::*;
    /// let text = "model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 1); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1);
    ///   Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;";
    /// assert!(!Model::from_text(text)?.bond_graph()?.report.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bond_graph(&self) -> Result<BondGraph, Error> {
        let (_, flat) = self.parts();
        let analysis = analyse(flat, build::LAST_STEP);
        let failed = analysis.diagnostics.iter().any(|d| d.is_error());
        if failed {
            let failure = Failure::Model(analysis.diagnostics);
            return Err(Error::new(ErrorKind::Model, &failure, self.sources()));
        }
        let (graph, causality) = (&analysis.built.graph, &analysis.causality);
        let title = format!("Bond graph of {}", self.name());
        let diagnostics = analysis.diagnostics.iter();
        Ok(BondGraph {
            svg: draw::svg(graph, causality, &title),
            dot: draw::dot(graph, causality),
            report: analysis.report.clone(),
            diagnostics: diagnostics
                .map(|d| Diagnostic::new(d, self.sources()))
                .collect(),
        })
    }
}
