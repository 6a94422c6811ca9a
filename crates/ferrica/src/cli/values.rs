//! The words and numbers that arguments take, and how they are read.

use clap::ValueEnum;
use ferrica_sim::SolverKind;

/// The last stage of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckStage {
    Flat,
    Kernels,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C99 without heap and recursion
    C,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Solver {
    #[default]
    Auto,
    Bdf,
    Radau,
    #[value(name = "dopri5")]
    Dopri5,
    #[value(name = "rk4")]
    Rk4,
    Euler,
    #[value(name = "rt-bdf1")]
    RtBdf1,
    #[value(name = "rt-bdf2")]
    RtBdf2,
    #[value(name = "rt-bdf3")]
    RtBdf3,
    RtTr,
    RtTrnp,
    RtOde,
    #[value(name = "qss1")]
    Qss1,
    #[value(name = "qss2")]
    Qss2,
    #[value(name = "qss3")]
    Qss3,
    #[value(name = "liqss1")]
    Liqss1,
    #[value(name = "liqss2")]
    Liqss2,
    #[value(name = "liqss3")]
    Liqss3,
    #[value(name = "mliqss1")]
    Mliqss1,
    #[value(name = "mliqss2")]
    Mliqss2,
    #[value(name = "mliqss3")]
    Mliqss3,
    Cqss,
    Qbg,
}

impl Solver {
    /// The word on the command line.
    pub fn word(self) -> String {
        self.to_possible_value()
            .map(|v| v.get_name().to_owned())
            .unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BdfStart {
    /// With the trapezoidal rule
    Tr,
    /// As if the values before the start were those at the start
    Constant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inline {
    Euler,
    ImplicitEuler,
    Trapezoid,
    #[value(name = "bdf2")]
    Bdf2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Partition {
    None,
    Tlm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The text as the parser understands it
    Syntax,
    /// The class and its members
    Classes,
    /// The components, their classes and variables
    Instance,
    /// Scalar variables and equations
    Flat,
    /// After alias removal, with events
    Dae,
    /// Sorted blocks
    Blocks,
    /// Code of the kernels
    Kernels,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DevsFormat {
    Powerdevs,
    Cdpp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    #[default]
    Auto,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EventRows {
    #[default]
    Auto,
    On,
    Off,
}

/// `NAME=VALUE`; the value is a Modelica literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: String,
}

pub(super) fn assignment(text: &str) -> Result<Assignment, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok(Assignment {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            })
        }
        _ => Err("write NAME=VALUE, for example R1.R=50".to_owned()),
    }
}

/// `STATE=DQ`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantum {
    pub state: String,
    pub value: f64,
}

pub(super) fn quantum(text: &str) -> Result<Quantum, String> {
    let wrong = || "write STATE=DQ with a positive quantum, for example C.v=1e-4".to_owned();
    let Assignment { name, value } = assignment(text).map_err(|_| wrong())?;
    let value: f64 = value.parse().map_err(|_| wrong())?;
    if value > 0.0 && value.is_finite() {
        Ok(Quantum { state: name, value })
    } else {
        Err(wrong())
    }
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err("a positive number is needed".to_owned()),
    }
}

/// `PARTITION=H`, `PARTITION=SOLVER` or `PARTITION=SOLVER:H`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    pub partition: String,
    pub solver: Option<SolverKind>,
    pub step: Option<f64>,
}

pub(super) fn rate(text: &str) -> Result<Rate, String> {
    let wrong = || {
        "write a positive step (valve=1e-4), one of auto, bdf, radau, dopri5 (valve=bdf), or both (valve=bdf:1e-4)"
            .to_owned()
    };
    let Assignment { name, value } = assignment(text).map_err(|_| wrong())?;
    let step = |text: &str| match text.parse() {
        Ok(h) if h > 0.0 && f64::is_finite(h) => Ok(h),
        _ => Err(wrong()),
    };
    let fixed = [SolverKind::Rk4, SolverKind::Euler];
    let (word, rest) = value.split_once(':').unwrap_or((&value, ""));
    match SolverKind::from_name(word) {
        Some(kind) if !fixed.contains(&kind) => Ok(Rate {
            partition: name,
            solver: Some(kind),
            step: (!rest.is_empty()).then(|| step(rest)).transpose()?,
        }),
        _ => Ok(Rate {
            partition: name,
            solver: None,
            step: Some(step(&value)?),
        }),
    }
}

pub(super) fn size(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "write WIDTHxHEIGHT, for example 900x500".to_owned();
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let parse = |t: &str| {
        t.trim()
            .parse::<usize>()
            .ok()
            .filter(|n| (1..=20_000).contains(n))
    };
    Ok((
        parse(width).ok_or_else(wrong)?,
        parse(height).ok_or_else(wrong)?,
    ))
}

/// A number of things.
pub(super) fn count(text: &str) -> Result<usize, String> {
    let wrong = || "a whole number is needed, and not a negative one".to_owned();
    text.parse().map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solver_of_the_contract_is_a_word() {
        for word in "auto bdf radau dopri5 rk4 euler rt-bdf1 rt-bdf2 rt-bdf3 rt-tr rt-trnp rt-ode \
                     qss1 qss2 qss3 liqss1 liqss2 liqss3 cqss qbg"
            .split_whitespace()
        {
            assert_eq!(Solver::from_str(word, false).unwrap().word(), word);
        }
    }
}
