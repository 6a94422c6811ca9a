//! The same code as the source of an FMU for co-simulation: `fmu.c` has the functions of the interface over those of the model.
//!
//! In: the channels, in the order of their value references. Out: `fmu.c` without its token, which is that of the description, and a
//! `CMakeLists.txt`.

use super::channels::{Channel, Channels};
use super::{File, Purpose, Writer};
use ferrica_codegen::c::expression::comment;

/// Place of the token in `fmu.c`.
pub const TOKEN: &str = "@TOKEN@";

/// What a value reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Variable,
    Input,
    Parameter,
}

/// Channels by their value references, from 1 on: 0 is the time. What is an input or a parameter is no variable besides.
pub fn references(channels: &Channels) -> Vec<(Role, usize, &Channel)> {
    let told = |c: &Channel| {
        let mut others = channels.inputs.iter().chain(&channels.parameters);
        others.any(|o| o.name == c.name)
    };
    let mut all = Vec::new();
    for (role, list) in [
        (Role::Variable, &channels.variables),
        (Role::Input, &channels.inputs),
        (Role::Parameter, &channels.parameters),
    ] {
        for (number, c) in list.iter().enumerate() {
            if role != Role::Variable || !told(c) {
                all.push((role, number, c));
            }
        }
    }
    all
}

impl Writer<'_> {
    pub(super) fn fmu_files(&self, channels: &Channels) -> Vec<File> {
        let (version, types, functions) = match self.purpose {
            Purpose::Program => return Vec::new(),
            Purpose::Fmu2 => (
                "2",
                include_str!("c/fmu/fmi2_types.c"),
                include_str!("c/fmu/fmi2.c"),
            ),
            Purpose::Fmu3 => (
                "3",
                include_str!("c/fmu/fmi3_types.c"),
                include_str!("c/fmu/fmi3.c"),
            ),
        };
        let mut lines = vec!["{ 'r', 't', 0, 1 }".to_string()];
        for (role, number, c) in references(channels) {
            let kind = match c.kind {
                "Integer" => 'i',
                "Boolean" => 'b',
                "enumeration" => 'e',
                _ => 'r',
            };
            let role = match role {
                Role::Variable => 'v',
                Role::Input => 'i',
                Role::Parameter => 'p',
            };
            let decides = u8::from(c.decides_start);
            lines.push(format!("{{ '{kind}', '{role}', {number}, {decides} }}"));
        }
        let describe = match self.model.assertions.is_empty() && self.model.terminates.is_empty() {
            true => "    (void)snprintf(text, sizeof text, \"%s\", @N@_message(result));\n",
            false => "    @N@_describe(m, result, text, sizeof text);\n",
        };
        let text = [
            include_str!("c/fmu/head.c"),
            types,
            include_str!("c/fmu/common.c"),
            functions,
        ]
        .concat()
        .replace("@VERSION@", version)
        .replace("@MODEL@", &comment(&self.model.source.name))
        .replace("@SOLVER@", self.options.method.name())
        .replace("@N_CHANNELS@", &lines.len().to_string())
        .replace("@CHANNELS@", &lines.join(",\n    "))
        .replace("@SAY@", describe);
        vec![File {
            name: "fmu.c".to_string(),
            text: self.named(&text),
        }]
    }
}
