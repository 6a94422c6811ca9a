//! Values inside of annotations.
//!
//! Most are literals and are read from the tree directly; names of the graphical enumerations stand for themselves, `DynamicSelect` for
//! its static part or, along a run, for the other one, and the rest is evaluated in the instance that the annotation belongs to.

use ferrica_flat::{Instance, Instances, Known};
use ferrica_syntax::ast::{self, Call, Expr, ExprKind, Modifier, UnaryOp};

use crate::transform::{Extent, Point};

/// Enumerations of chapter 18, which no library declares.
const ENUMERATIONS: [&str; 8] = [
    "LinePattern",
    "FillPattern",
    "BorderPattern",
    "Smooth",
    "EllipseClosure",
    "Arrow",
    "TextStyle",
    "TextAlignment",
];

/// Where annotations of one class are evaluated.
pub struct Reader<'r, 'a> {
    pub instances: &'r mut Instances<'a>,
    pub instance: Instance,
}

/// Arguments by name, of a call in `graphics` or of a modifier such as `Placement(…)`.
#[derive(Clone, Copy)]
pub enum Arguments<'a> {
    Call(&'a Call),
    Modifier(&'a Modifier),
}

impl<'a> Arguments<'a> {
    pub fn get(self, name: &str) -> Option<&'a Expr> {
        match self {
            Arguments::Call(call) => {
                let mut named = call.args.named.iter();
                let found = named.find(|a| a.name.as_str() == name)?;
                Some(&found.value)
            }
            Arguments::Modifier(m) => m.find(name)?.value(),
        }
    }
}

impl<'a> Reader<'_, 'a> {
    pub fn value(&mut self, e: &'a Expr) -> Option<Known> {
        match &e.kind {
            ExprKind::Int(v) => Some(Known::Number(*v as f64)),
            ExprKind::Real(v) => Some(Known::Number(*v)),
            ExprKind::Bool(v) => Some(Known::Bool(*v)),
            ExprKind::Str(v) => Some(Known::Text(v.to_string())),
            ExprKind::Unary(UnaryOp::Neg, inner) => match self.value(inner)? {
                Known::Number(v) => Some(Known::Number(-v)),
                _ => None,
            },
            ExprKind::Array(items) => {
                let items: Option<Vec<Known>> = items.iter().map(|i| self.value(i)).collect();
                items.map(Known::Array)
            }
            ExprKind::Ref(r) => match r.parts.as_slice() {
                [first, last] if ENUMERATIONS.contains(&first.name.as_str()) => {
                    Some(Known::Enum(last.name.to_string()))
                }
                _ => self.instances.known(self.instance, e),
            },
            ExprKind::Call(call) if is_dynamic(call) => self.selected(&call.args.positional),
            ExprKind::If(i) => {
                for (condition, then) in &i.branches {
                    match self.value(condition)? {
                        Known::Bool(true) => return self.value(then),
                        Known::Bool(false) => {}
                        _ => return None,
                    }
                }
                self.value(&i.otherwise)
            }
            _ => self.instances.known(self.instance, e),
        }
    }

    /// `DynamicSelect`: the second part along a run, the first one without, or where the run does not tell.
    fn selected(&mut self, parts: &'a [Expr]) -> Option<Known> {
        self.instances.moves_with_run = true;
        let along_run = parts.get(1).filter(|_| self.instances.is_observing());
        along_run
            .and_then(|e| self.value(e))
            .or_else(|| self.value(parts.first()?))
    }

    pub fn number(&mut self, from: Arguments<'a>, name: &str) -> Option<f64> {
        match self.value(from.get(name)?)? {
            Known::Number(v) => Some(v),
            _ => None,
        }
    }

    /// A Boolean that cannot be evaluated is taken as its default.
    pub fn flag(&mut self, from: Arguments<'a>, name: &str, default: bool) -> bool {
        match from.get(name).and_then(|e| self.value(e)) {
            Some(Known::Bool(v)) => v,
            _ => default,
        }
    }

    pub fn text(&mut self, from: Arguments<'a>, name: &str) -> Option<String> {
        match self.value(from.get(name)?)? {
            Known::Text(v) => Some(v),
            _ => None,
        }
    }

    /// The literal of an enumeration.
    pub fn word(&mut self, from: Arguments<'a>, name: &str) -> Option<String> {
        match self.value(from.get(name)?)? {
            Known::Enum(v) => Some(v),
            _ => None,
        }
    }

    pub fn words(&mut self, from: Arguments<'a>, name: &str) -> Vec<String> {
        let Some(Known::Array(list)) = from.get(name).and_then(|e| self.value(e)) else {
            return Vec::new();
        };
        let word = |k| match k {
            Known::Enum(v) => Some(v),
            _ => None,
        };
        list.into_iter().filter_map(word).collect()
    }

    pub fn point(&mut self, from: Arguments<'a>, name: &str) -> Option<Point> {
        point(&self.value(from.get(name)?)?)
    }

    pub fn points(&mut self, from: Arguments<'a>, name: &str) -> Option<Vec<Point>> {
        match self.value(from.get(name)?)? {
            Known::Array(list) => list.iter().map(point).collect(),
            _ => None,
        }
    }

    pub fn extent(&mut self, from: Arguments<'a>, name: &str) -> Option<Extent> {
        match self.points(from, name)?.as_slice() {
            [a, b] => Some(Extent(*a, *b)),
            _ => None,
        }
    }

    pub fn color(&mut self, from: Arguments<'a>, name: &str) -> Option<ferrica_draw::Color> {
        let Known::Array(list) = self.value(from.get(name)?)? else {
            return None;
        };
        let part = |k: usize| match list.get(k) {
            Some(Known::Number(v)) if *v >= 0.0 => Some(v.round().clamp(0.0, 255.0) as u8),
            _ => None,
        };
        Some(ferrica_draw::Color(part(0)?, part(1)?, part(2)?))
    }
}

fn point(value: &Known) -> Option<Point> {
    match value {
        Known::Array(list) => match list.as_slice() {
            [Known::Number(x), Known::Number(y)] if x.is_finite() && y.is_finite() => {
                Some((*x, *y))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_dynamic(call: &Call) -> bool {
    let name = call.function.as_ident();
    name.is_some_and(|n| n.as_str() == "DynamicSelect")
}

/// `Icon(…)`, `Diagram(…)`, `Placement(…)`, `Line(…)` in an annotation.
pub fn find<'a>(annotation: Option<&'a ast::Annotation>, name: &str) -> Option<&'a Modifier> {
    annotation?.find(name)
}
