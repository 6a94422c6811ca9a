//! Diagrams and icons of classes (chapter 18 of the Modelica specification).
//!
//! In: a class of a library. Out: a [`Drawing`]: the scene, with the path of each component as the name of its group, and where each
//! connection begins and ends. Reading order:
//!
//! - `annotation`: values of annotations; `graphics`: the shapes, read from them; `layer`: what a class and its bases draw;
//! - `transform`: where coordinates of an icon go in the picture around it;
//! - `shapes`, `lines`, `text`: a shape as things of the drawing module;
//! - `icon`: one component with its connectors; `plain_icon`: of a class without graphics;
//! - `diagram`: all components and connections, those without a place in layers; `wiring`: lines for those without points;
//! - `machine`: the transitions of a state machine.

mod annotation;
mod diagram;
mod graphics;
mod icon;
mod layer;
mod lines;
mod machine;
mod plain_icon;
mod shapes;
mod text;
mod transform;
mod wiring;

use ferrica_classes::{ClassId, Library};
use ferrica_draw::{Scene, Theme};
pub use ferrica_flat::Observed;
use ferrica_ir::Symbol;

/// A picture of a class.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub scene: Scene,
    /// Paths of the components whose icons were drawn.
    pub components: Vec<String>,
    pub wires: Vec<Wire>,
    /// Images that could not be read.
    pub missing_images: Vec<String>,
    pub texts: Vec<TextBox>,
    /// It has shapes that a run would draw otherwise.
    pub moves_with_run: bool,
}

/// A line of text and the room that its annotation gives it.
#[derive(Clone, Debug)]
pub struct TextBox {
    pub text: String,
    pub bold: bool,
    /// Of its letters.
    pub size: f64,
    /// The width of the box; none where it only limits the height, or where the annotation fixes the size.
    pub room: Option<f64>,
}

/// A drawn connection or transition.
#[derive(Clone, Debug)]
pub struct Wire {
    pub from: String,
    pub to: String,
    /// How far its ends are from the boxes of their connectors, in units of the diagram.
    pub gaps: (f64, f64),
    /// The points of its annotation end elsewhere: it was led on to the connectors.
    pub is_led: bool,
}

/// Stack of the thread that draws: syntax trees may be deep.
const STACK: usize = 256 << 20;

/// The diagram of a class, or of the component of it that the path leads to. None if there is no such component.
pub fn diagram(
    library: &Library,
    class: ClassId,
    path: &[Symbol],
    theme: Theme,
) -> Option<Drawing> {
    on_a_large_stack(|| diagram::draw(library, class, path, theme, None))
}

/// The same at an instant of a run of the class: the values of its variables, by their names.
pub fn diagram_along_run(
    library: &Library,
    class: ClassId,
    path: &[Symbol],
    theme: Theme,
    values: &Observed<'_>,
) -> Option<Drawing> {
    on_a_large_stack(|| diagram::draw(library, class, path, theme, Some(values)))
}

/// The icon of a class.
pub fn icon(library: &Library, class: ClassId, theme: Theme) -> Option<Drawing> {
    on_a_large_stack(|| Some(icon::draw(library, class, theme)))
}

fn on_a_large_stack(draw: impl FnOnce() -> Option<Drawing> + Send) -> Option<Drawing> {
    std::thread::scope(|s| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(s, draw);
        thread.ok()?.join().ok()?
    })
}
