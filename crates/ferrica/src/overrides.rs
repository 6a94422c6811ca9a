//! `-p NAME=VALUE`: which values the run can take over, and which need the model compiled with them.

use ferrica_ir::expr::Ty;
use ferrica_ir::flat::{FlatModel, Variability, Variable};
use rustc_hash::FxHashMap;

use crate::failure::Failure;
use crate::options::Assignment;

/// What a name on the command line means.
enum Target<'a> {
    Parameter(&'a Variable),
    /// `NAME.start` of a variable.
    Start(&'a Variable),
}

impl Target<'_> {
    /// Must the model be compiled with this value? A fixed start value is an equation of the initial
    /// system; of an array, a modifier can only set all elements.
    fn shapes_the_model(&self) -> bool {
        match self {
            Target::Parameter(variable) => variable.structural,
            Target::Start(variable) => !variable.name.contains('['),
        }
    }
}

struct Names<'a>(FxHashMap<&'a str, &'a Variable>);

impl<'a> Names<'a> {
    fn new(flat: &'a FlatModel) -> Names<'a> {
        Names(flat.vars.values().map(|v| (v.name.as_str(), v)).collect())
    }

    fn find(&self, name: &str) -> Result<Target<'a>, Failure> {
        if let Some(variable) = self.0.get(name) {
            return match variable.variability {
                Variability::Parameter => Ok(Target::Parameter(variable)),
                Variability::Constant => Err(Failure::usage(format!(
                    "`{name}` is a constant and cannot be changed"
                ))),
                _ => Err(Failure::usage_with_hint(
                    format!("`{name}` is not a parameter but computed by the model"),
                    format!("`-p {name}.start=…` sets the value it starts with"),
                )),
            };
        }
        let of_start = name.strip_suffix(".start").and_then(|n| self.0.get(n));
        if let Some(variable) = of_start {
            return Ok(Target::Start(variable));
        }
        let failure = format!("the model has no parameter `{name}`");
        Err(match self.similar(name) {
            Some(near) => Failure::usage_with_hint(failure, format!("did you mean `{near}`?")),
            None => Failure::usage(failure),
        })
    }

    /// A parameter with the same last part or the same name in other letters.
    fn similar(&self, name: &str) -> Option<&'a str> {
        let lower = name.to_lowercase();
        let last = lower.rsplit('.').next().unwrap_or(&lower);
        let parameters = self
            .0
            .values()
            .filter(|v| v.variability == Variability::Parameter);
        let fits = parameters.filter(|v| {
            let other = v.name.to_lowercase();
            other == lower || other.rsplit('.').next() == Some(last)
        });
        fits.map(|v| v.name.as_str())
            .min_by_key(|n| (n.len().abs_diff(name.len()), *n))
    }
}

/// Assignments to parameters that shape the model.
pub fn structural<'p>(
    flat: &FlatModel,
    params: &'p [Assignment],
) -> Result<Vec<&'p Assignment>, Failure> {
    if params.is_empty() {
        return Ok(Vec::new());
    }
    let names = Names::new(flat);
    let mut shaping = Vec::new();
    for assignment in params {
        let target = names.find(&assignment.name)?;
        if target.shapes_the_model() {
            let (Target::Parameter(variable) | Target::Start(variable)) = target;
            // Texts and enumerations are left to the compiler.
            if matches!(variable.ty, Ty::Real | Ty::Integer | Ty::Boolean) {
                number(flat, variable.ty, assignment)?;
            }
            shaping.push(assignment);
        }
    }
    Ok(shaping)
}

/// A class that extends the model with these values.
pub fn wrapper(model: &str, shaping: &[&Assignment]) -> String {
    let modifiers: Vec<String> = shaping
        .iter()
        .map(|a| {
            let parts: Vec<&str> = a.name.split('.').collect();
            let nested = parts[..parts.len() - 1].iter().map(|p| format!("{p}("));
            let close = ")".repeat(parts.len() - 1);
            let last = parts[parts.len() - 1];
            format!("{}{last} = {}{close}", nested.collect::<String>(), a.value)
        })
        .collect();
    format!(
        "model 'with other values'\n  extends .{model}({});\nend 'with other values';\n",
        modifiers.join(", ")
    )
}

/// The numbers for the run, of all that do not shape the model.
pub fn values(flat: &FlatModel, params: &[Assignment]) -> Result<Vec<(String, f64)>, Failure> {
    if params.is_empty() {
        return Ok(Vec::new());
    }
    let names = Names::new(flat);
    let mut values = Vec::new();
    for assignment in params {
        let target = names.find(&assignment.name)?;
        if target.shapes_the_model() {
            continue;
        }
        let (Target::Parameter(variable) | Target::Start(variable)) = target;
        // The run takes a start value under the name of its variable.
        let number = number(flat, variable.ty, assignment)?;
        values.push((variable.name.clone(), number));
    }
    Ok(values)
}

fn number(flat: &FlatModel, ty: Ty, assignment: &Assignment) -> Result<f64, Failure> {
    let Assignment { name, value } = assignment;
    let parsed = match ty {
        Ty::Real => value.parse::<f64>().ok(),
        Ty::Integer => value.parse::<i64>().ok().map(|v| v as f64),
        Ty::Boolean => match value.as_str() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            _ => None,
        },
        Ty::Enum(id) => {
            let literal = value.rsplit('.').next().unwrap_or(value);
            let found = flat.enums[id].literals.iter().position(|l| l == literal);
            found.map(|k| k as f64 + 1.0)
        }
        _ => None,
    };
    parsed.ok_or_else(|| {
        let wanted = match ty {
            Ty::Real => "a number".to_owned(),
            Ty::Integer => "a whole number".to_owned(),
            Ty::Boolean => "true or false".to_owned(),
            Ty::Enum(id) => format!("one of {}", flat.enums[id].literals.join(", ")),
            _ => return Failure::usage(format!("`{name}` cannot be changed on the command line")),
        };
        Failure::usage(format!("-p {name}={value}: `{name}` needs {wanted}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat() -> FlatModel {
        let mut flat = FlatModel::default();
        let mut add = |name: &str, ty, variability, structural| {
            let mut v = Variable::new(name, ty, variability);
            v.structural = structural;
            flat.vars.push(v);
        };
        add("R1.R", Ty::Real, Variability::Parameter, false);
        add("n", Ty::Integer, Variability::Parameter, true);
        add("on", Ty::Boolean, Variability::Parameter, false);
        add("x", Ty::Real, Variability::Continuous, false);
        add("x[2]", Ty::Real, Variability::Continuous, false);
        flat
    }

    fn set(name: &str, value: &str) -> Assignment {
        Assignment {
            name: name.into(),
            value: value.into(),
        }
    }

    #[test]
    fn values_for_the_run_and_values_that_shape_the_model() {
        let params = [
            set("R1.R", "5e1"),
            set("n", "3"),
            set("on", "true"),
            set("x[2].start", "-1"),
        ];
        let shaping = structural(&flat(), &params).unwrap();
        assert_eq!(shaping.len(), 1);
        assert_eq!(
            values(&flat(), &params).unwrap(),
            [
                ("R1.R".into(), 50.0),
                ("on".into(), 1.0),
                ("x[2]".into(), -1.0)
            ]
        );
    }

    #[test]
    fn the_wrapper_is_modelica() {
        let (a, b) = (set("n", "3"), set("motor.w.start", "2.5"));
        assert_eq!(
            wrapper("Lib.Drive", &[&a, &b]),
            "model 'with other values'\n  extends .Lib.Drive(n = 3, motor(w(start = 2.5)));\n\
             end 'with other values';\n"
        );
    }

    #[test]
    fn wrong_names_and_values_are_usage_errors() {
        let message = |p: Assignment| match values(&flat(), &[p]) {
            Err(Failure::Usage { message, hint }) => (message, hint.unwrap_or_default()),
            other => panic!("{other:?}"),
        };
        assert_eq!(message(set("r1.r", "1")).1, "did you mean `R1.R`?");
        assert_eq!(
            message(set("on", "1")).0,
            "-p on=1: `on` needs true or false"
        );
        assert!(message(set("x", "1")).1.contains("x.start"));
    }
}
