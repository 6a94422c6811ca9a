//! The list of messages: each mistake once, with the component it shows in and what to try.
//!
//! A mistake in a class shows in every component of that class; it is reported for the first one and
//! counted for the others. What only follows from another message is left out.

use ferrica_ir::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flattener::Flattener;

/// Code of a message that only follows from another one: never shown.
pub const FOLLOWS: &str = "E0299";

/// More messages than this say nothing new.
const MAX_MESSAGES: usize = 200;

/// Messages by code, place and text without numbers.
#[derive(Default)]
pub struct Reported {
    index: FxHashMap<(&'static str, Span, String), usize>,
    /// Components and texts of a message, beginning with those that are shown.
    instances: FxHashMap<usize, FxHashSet<(u32, String)>>,
    /// How often anything was reported.
    pub calls: usize,
}

impl Flattener<'_> {
    #[allow(clippy::boxed_local, reason = "results carry their error in a box")]
    pub fn report(&mut self, mut d: Box<Diagnostic>) {
        if d.code == FOLLOWS && self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        self.reported.calls += 1;
        let text: String = d.message.chars().filter(|c| !c.is_ascii_digit()).collect();
        let key = (d.code, d.span, text);
        let instance = (self.current, d.message.clone());
        if let Some(&k) = self.reported.index.get(&key) {
            self.reported
                .instances
                .entry(k)
                .or_default()
                .insert(instance);
            return;
        }
        if self.diagnostics.len() >= MAX_MESSAGES {
            return;
        }
        if let Some(c) = self.flat.components.get(self.current as usize)
            && !c.path.is_empty()
            && !d.message.contains(c.path.as_str())
        {
            d.message
                .push_str(&format!(" (in `{}` of class `{}`)", c.path, c.class));
        }
        if d.hint.is_none() {
            d.hint = general_hint(d.code).map(str::to_string);
        }
        let k = self.diagnostics.len();
        self.reported.index.insert(key, k);
        self.reported
            .instances
            .entry(k)
            .or_default()
            .insert(instance);
        self.diagnostics.push(*d);
    }

    /// Forgets what was reported since there were `count` messages.
    pub fn forget_messages(&mut self, count: usize) {
        self.diagnostics.truncate(count);
        self.reported.index.retain(|_, k| *k < count);
        self.reported.instances.retain(|k, _| *k < count);
    }

    /// The messages, with how often each mistake shows.
    pub fn take_messages(&mut self) -> Vec<Diagnostic> {
        let mut list = std::mem::take(&mut self.diagnostics);
        for (k, instances) in std::mem::take(&mut self.reported.instances) {
            let more = instances.len() - 1;
            if let Some(d) = list.get_mut(k)
                && more > 0
            {
                let s = if more == 1 { "" } else { "s" };
                d.message
                    .push_str(&format!("; the same {more} more time{s}"));
            }
        }
        list
    }
}

/// What to try, where the message itself has no better advice.
fn general_hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "E0202" => "look for the name in the class that is named here",
        "E0204" => "remove one of the extends clauses on the way",
        "E0206" => "rename one of the two",
        "E0310" => "it may depend on constants and on parameters that have a value",
        "E0311" => "use a subscript, `sum(…)` or `scalar(…)`",
        "E0312" => "look for the name in the declaration of the record",
        "E0316" => "remove subscripts, or declare the variable with more dimensions",
        "E0317" => "change one of the declarations; `size(x, 1)` gives the size of an array",
        "E0318" => "subscripts count from 1; `end` is the last one",
        "E0321" => {
            "change the declaration, or convert: `integer(x)`, `Integer(e)`, `String(x)`, `if b then 1 else 0`"
        }
        "E0330" => "compare the call with the declaration of the function",
        "E0338" => "is there a loop or recursion without end?",
        "E0340" => {
            "give as many names on the left as the function has outputs, or leave some empty"
        }
        "E0346" => "write the same number of equations in each branch",
        "E0350" => "connect arrays of the same size, or elements one by one in a for-loop",
        "E0352" => "connect connectors of the same class, or with the same variables",
        _ => return None,
    })
}
