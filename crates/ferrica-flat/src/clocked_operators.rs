//! The synchronous operators of chapter 16, and `sample`.

use ferrica_ir::{Builtin, ExprId, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn sample(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<Value> {
        let args = &call.args.positional;
        let named_time = call
            .args
            .named
            .iter()
            .any(|n| matches!(n.name.as_str(), "start" | "interval"));
        let first = match args.first() {
            Some(e) => self.eval_one(e, env)?,
            None => self.argument(call, 0, "start", env, span)?,
        };
        let second = match args.get(1) {
            Some(e) => Some(self.eval_one(e, env)?),
            None if named_time => Some(self.argument(call, 1, "interval", env, span)?),
            None => None,
        };
        let clocked = match &second {
            None => true,
            Some(v) => v
                .scalar()
                .is_some_and(|s| self.flat.exprs.ty(s) == Ty::Clock),
        };
        if !clocked {
            for v in [Some(&first), second.as_ref()].into_iter().flatten() {
                if let Some(s) = v.scalar() {
                    self.check_fixed_argument(s, "an argument of `sample`", span);
                }
            }
        }
        if clocked {
            let clock = second.and_then(|v| v.scalar());
            return Ok(first.map_scalars(&mut |s| match clock {
                Some(c) => self.flat.exprs.builtin(Builtin::ClockedSample, &[s, c]),
                None => self.flat.exprs.builtin(Builtin::ClockedSample, &[s]),
            }));
        }
        match (first.scalar(), second.and_then(|v| v.scalar())) {
            (Some(start), Some(interval)) => Ok(Value::Scalar(
                self.flat.exprs.builtin(Builtin::Sample, &[start, interval]),
            )),
            _ => error("E0330", span, "`sample` takes a start time and an interval"),
        }
    }

    pub fn clock(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<Value> {
        let mut args = Vec::new();
        for e in &call.args.positional {
            args.push(self.eval_scalar(e, env)?);
        }
        for n in &call.args.named {
            args.push(self.eval_scalar(&n.value, env)?);
        }
        let ty = |k: usize| args.get(k).map(|&a: &ExprId| self.flat.exprs.ty(a));
        let kind = match (ty(0), ty(1)) {
            (None, _) => Builtin::ClockInferred,
            (Some(Ty::Boolean), _) => Builtin::ClockEvent,
            (Some(Ty::Clock), Some(Ty::String)) => Builtin::ClockSolver,
            (Some(Ty::Clock), None) => return Ok(Value::Scalar(args[0])),
            (Some(Ty::Integer), _) => Builtin::ClockRational,
            (Some(Ty::Real), _) => Builtin::ClockReal,
            _ => return error("E0330", span, "no clock can be made from these arguments"),
        };
        Ok(Value::Scalar(self.flat.exprs.builtin(kind, &args)))
    }

    pub fn clocked_operator(
        &mut self,
        name: &str,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let f = match name {
            "subSample" => Builtin::SubSample,
            "superSample" => Builtin::SuperSample,
            "shiftSample" => Builtin::ShiftSample,
            "backSample" => Builtin::BackSample,
            "hold" => Builtin::Hold,
            "noClock" => Builtin::NoClock,
            "interval" => Builtin::Interval,
            _ => Builtin::FirstTick,
        };
        let mut values = Vec::new();
        for e in &call.args.positional {
            values.push(self.eval_one(e, env)?);
        }
        for n in &call.args.named {
            values.push(self.eval_one(&n.value, env)?);
        }
        let Some(first) = values.first().cloned() else {
            return Ok(Value::Scalar(self.flat.exprs.builtin(f, &[])));
        };
        let mut rest = Vec::new();
        for v in &values[1..] {
            match v.scalar() {
                Some(s) => rest.push(s),
                None => {
                    return error(
                        "E0330",
                        span,
                        format!("the factors of `{name}` must be scalars"),
                    );
                }
            }
        }
        if matches!(f, Builtin::Interval | Builtin::FirstTick) {
            let mut scalars = Vec::new();
            first.scalars(&mut scalars);
            scalars.truncate(1);
            return Ok(Value::Scalar(self.flat.exprs.builtin(f, &scalars)));
        }
        Ok(first.map_scalars(&mut |s| {
            let mut args = vec![s];
            args.extend(&rest);
            self.flat.exprs.builtin(f, &args)
        }))
    }
}
