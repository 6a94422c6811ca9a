//! Delays of a linear model: what goes into them and what comes out are signals beside its inputs and outputs.
//!
//! In: a flat model. Out: the same with every delayed value d = delay(s, T) replaced by d + δ, where δ is a further input that rests at zero; with s as a
//! further output; and with T as a variable. The linear model of that is
//!
//! ẋ = A x + B u + E d, y = C x + D u + F d, s = G x + H u + K d,
//!
//! and d(t) = s(t − T), which is exp(−iωT) for an oscillation: no approximation by a rational function is needed.

use ferrica_ir::Span;
use ferrica_ir::expr::{Builtin, Expr, ExprId, Ty};
use ferrica_ir::flat::{Causality, Equation, FlatModel, Origin, Variability, Variable};
use rustc_hash::FxHashMap;

use crate::linearize::Matrix;

/// What goes through the delays of a linear model: signals s into them and d(t) = s(t − T) out of them,
/// ẋ = A x + B u + E d, y = C x + D u + F d, s = G x + H u + K d.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("model M input Real u; output Real y = 3*delay(u, 0.2); end M;")?;
/// let delays = model.linearize(None, None, None, &Experiment::default())?.delays;
/// assert_eq!((delays.times.as_slice(), delays.f.dense(), delays.h.dense()), (&[0.2][..], vec![vec![3.0]], vec![vec![1.0]]));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delays {
    /// T of each.
    pub times: Vec<f64>,
    /// ∂ẋ/∂d
    pub e: Matrix,
    /// ∂y/∂d
    pub f: Matrix,
    /// ∂s/∂x
    pub g: Matrix,
    /// ∂s/∂u
    pub h: Matrix,
    /// ∂s/∂d
    pub k: Matrix,
}

/// Names of the further input, output and time of a delay.
pub(crate) struct Channel {
    pub shift: String,
    pub source: String,
    pub time: String,
}

fn added(flat: &mut FlatModel, name: &str, causality: Causality) -> ferrica_ir::expr::VarId {
    let mut v = Variable::new(name.to_owned(), Ty::Real, Variability::Continuous);
    v.causality = causality;
    flat.vars.push(v)
}

fn equation(flat: &mut FlatModel, v: ferrica_ir::expr::VarId, rhs: ExprId) {
    let lhs = flat.exprs.var(v, Ty::Real);
    flat.equations.push(Equation {
        lhs,
        rhs,
        span: Span::NONE,
        component: 0,
        origin: Origin::Generated,
    });
}

/// Opens the delays in the equations of a model.
pub(crate) fn open(flat: &mut FlatModel) -> Vec<Channel> {
    let mut channels: Vec<Channel> = Vec::new();
    let mut found: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut memo = FxHashMap::default();
    let mut k = 0;
    while k < flat.equations.len() {
        for side in 0..2 {
            let q = &flat.equations[k];
            let root = if side == 0 { q.lhs } else { q.rhs };
            let mut delays = Vec::new();
            flat.exprs.postorder(&[root], |id| {
                if let Expr::Builtin(Builtin::Delay, _) = flat.exprs.get(id) {
                    delays.push(id);
                }
            });
            // Those inside of others first.
            for id in delays {
                if found.contains_key(&id) {
                    continue;
                }
                let Expr::Builtin(_, list) = flat.exprs.get(id) else {
                    continue;
                };
                let args = flat.exprs.args(list).to_vec();
                let args: Vec<ExprId> = (args.iter())
                    .map(|&a| put(flat, a, &found, &mut memo))
                    .collect();
                let n = channels.len();
                let channel = Channel {
                    shift: format!("$shift of delay {n}"),
                    source: format!("$source of delay {n}"),
                    time: format!("$time of delay {n}"),
                };
                let value = added(flat, &format!("$delay {n}"), Causality::Local);
                let shift = added(flat, &channel.shift, Causality::Input);
                let source = added(flat, &channel.source, Causality::Local);
                let time = added(flat, &channel.time, Causality::Local);
                equation(flat, source, args[0]);
                equation(flat, time, args[1]);
                let s = flat.exprs.var(source, Ty::Real);
                let args: Vec<ExprId> = std::iter::once(s)
                    .chain(args[1..].iter().copied())
                    .collect();
                let delay = flat.exprs.builtin(Builtin::Delay, &args);
                let shift = flat.exprs.var(shift, Ty::Real);
                let sum = flat.exprs.add(delay, shift);
                // What has been opened stays as it is.
                found.insert(delay, delay);
                equation(flat, value, sum);
                let value = flat.exprs.var(value, Ty::Real);
                found.insert(id, value);
                memo.clear();
                channels.push(channel);
            }
            let new = put(flat, root, &found, &mut memo);
            let q = &mut flat.equations[k];
            if side == 0 {
                q.lhs = new;
            } else {
                q.rhs = new;
            }
        }
        k += 1;
    }
    channels
}

/// An expression with variables in place of delays.
fn put(
    flat: &mut FlatModel,
    root: ExprId,
    found: &FxHashMap<ExprId, ExprId>,
    memo: &mut FxHashMap<ExprId, ExprId>,
) -> ExprId {
    (flat.exprs).rewrite(root, memo, &mut |_, id| found.get(&id).copied())
}
