//! Names in annotations, by what they are in; and units.

/// The names inside of an annotation: the empty name is the annotation itself.
const NAMES: [(&str, &[&str]); 16] = [
    (
        "",
        &[
            "Documentation",
            "Icon",
            "Diagram",
            "experiment",
            "uses",
            "version",
            "Placement",
            "Dialog",
            "Evaluate",
            "choices",
            "choicesAllMatching",
            "defaultComponentName",
            "defaultComponentPrefixes",
            "preferredView",
            "Line",
            "HideResult",
            "Inline",
            "LateInline",
            "GenerateEvents",
            "smoothOrder",
            "derivative",
            "inverse",
            "Library",
            "Include",
            "missingInnerMessage",
            "obsolete",
            "unassignedMessage",
            "absoluteValue",
            "DynamicSelect",
            "Protection",
            "conversion",
            "dateModified",
            "versionDate",
        ],
    ),
    ("Documentation", &["info", "revisions", "figures"]),
    (
        "experiment",
        &["StartTime", "StopTime", "Interval", "Tolerance"],
    ),
    ("Icon", &["coordinateSystem", "graphics"]),
    ("Diagram", &["coordinateSystem", "graphics"]),
    (
        "coordinateSystem",
        &["extent", "preserveAspectRatio", "initialScale", "grid"],
    ),
    (
        "Placement",
        &[
            "visible",
            "transformation",
            "iconVisible",
            "iconTransformation",
        ],
    ),
    ("transformation", &["origin", "extent", "rotation"]),
    ("iconTransformation", &["origin", "extent", "rotation"]),
    (
        "Dialog",
        &[
            "tab",
            "group",
            "enable",
            "showStartAttribute",
            "colorSelector",
            "loadSelector",
            "saveSelector",
            "directorySelector",
            "groupImage",
            "connectorSizing",
        ],
    ),
    (
        "Line",
        &[
            "points",
            "color",
            "pattern",
            "thickness",
            "arrow",
            "arrowSize",
            "smooth",
            "visible",
            "origin",
            "rotation",
        ],
    ),
    (
        "Rectangle",
        &[
            "extent",
            "lineColor",
            "fillColor",
            "fillPattern",
            "pattern",
            "borderPattern",
            "lineThickness",
            "radius",
            "origin",
            "rotation",
            "visible",
        ],
    ),
    (
        "Polygon",
        &[
            "points",
            "lineColor",
            "fillColor",
            "fillPattern",
            "smooth",
            "pattern",
            "lineThickness",
        ],
    ),
    (
        "Ellipse",
        &[
            "extent",
            "startAngle",
            "endAngle",
            "closure",
            "lineColor",
            "fillColor",
            "fillPattern",
        ],
    ),
    (
        "Text",
        &[
            "extent",
            "textString",
            "string",
            "fontSize",
            "fontName",
            "textStyle",
            "textColor",
            "horizontalAlignment",
        ],
    ),
    ("choices", &["choice", "checkBox"]),
];

/// Shapes in `graphics = {…}`.
pub const SHAPES: [&str; 6] = ["Line", "Polygon", "Rectangle", "Ellipse", "Text", "Bitmap"];

/// Attributes of the predefined types.
pub const ATTRIBUTES: [(&str, &str); 10] = [
    ("start", "Value at the start, or the first guess of it"),
    ("fixed", "The start value holds"),
    ("min", "Smallest value"),
    ("max", "Largest value"),
    ("nominal", "Typical size"),
    ("unit", "Unit of the value"),
    ("displayUnit", "Unit that people see"),
    ("quantity", "Kind of quantity"),
    ("stateSelect", "How much it is wanted as a state"),
    ("unbounded", "The error of it is not controlled"),
];

pub fn names(of: &str) -> &'static [&'static str] {
    NAMES
        .iter()
        .find(|(n, _)| *n == of)
        .map_or(&[], |(_, list)| *list)
}

/// Units that are written often; what is offered is one of them, or what begins with it.
pub const UNITS: [(&str, &str); 60] = [
    ("1", "number"),
    ("m", "length"),
    ("s", "time"),
    ("kg", "mass"),
    ("A", "current"),
    ("K", "temperature"),
    ("mol", "amount of substance"),
    ("cd", "luminous intensity"),
    ("rad", "angle"),
    ("sr", "solid angle"),
    ("Hz", "frequency"),
    ("N", "force"),
    ("Pa", "pressure"),
    ("J", "energy"),
    ("W", "power"),
    ("C", "charge"),
    ("V", "voltage"),
    ("F", "capacitance"),
    ("Ohm", "resistance"),
    ("S", "conductance"),
    ("Wb", "magnetic flux"),
    ("T", "magnetic flux density"),
    ("H", "inductance"),
    ("lm", "luminous flux"),
    ("lx", "illuminance"),
    ("m2", "area"),
    ("m3", "volume"),
    ("m/s", "velocity"),
    ("m/s2", "acceleration"),
    ("rad/s", "angular velocity"),
    ("rad/s2", "angular acceleration"),
    ("kg/m3", "density"),
    ("kg/s", "mass flow"),
    ("m3/s", "volume flow"),
    ("N.m", "torque"),
    ("N/m", "stiffness"),
    ("N.s/m", "damping"),
    ("N.m/rad", "torsional stiffness"),
    ("N.m.s/rad", "torsional damping"),
    ("kg.m2", "inertia"),
    ("J/kg", "specific energy"),
    ("J/K", "heat capacity"),
    ("J/(kg.K)", "specific heat capacity"),
    ("W/K", "thermal conductance"),
    ("K/W", "thermal resistance"),
    ("W/(m.K)", "thermal conductivity"),
    ("W/(m2.K)", "heat transfer coefficient"),
    ("W/m2", "heat flux"),
    ("Pa.s", "dynamic viscosity"),
    ("m2/s", "kinematic viscosity"),
    ("1/s", "rate"),
    ("1/K", "temperature coefficient"),
    ("V.s/rad", "motor constant"),
    ("A/m", "magnetic field strength"),
    ("F/m", "permittivity"),
    ("H/m", "permeability"),
    ("degC", "temperature in °C"),
    ("deg", "angle in degrees"),
    ("bar", "pressure"),
    ("rev/min", "speed"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_one() {
        for (unit, _) in UNITS {
            assert!(ferrica_flat::base_unit(unit).is_some(), "{unit}");
        }
    }
}
