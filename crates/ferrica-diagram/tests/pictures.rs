//! Pictures of small classes: where things are follows from the rules of chapter 18, worked out by hand in each test.

use std::sync::Arc;

use ferrica_classes::{Library, SearchPath};
use ferrica_diagram::{Drawing, diagram, diagram_along_run, icon};
use ferrica_draw::{Brush, Color, Hatch, Item, Path, Pen, Segment, Theme};
use ferrica_ir::Symbol;

const BLOCKS: &str = r#"
package P
  connector Pin
    Real v;
    flow Real i;
    annotation(Icon(graphics={Rectangle(extent={{-100,-100},{100,100}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid)}),
      Diagram(graphics={Rectangle(extent={{-40,-40},{40,40}}, lineColor={0,0,255}), Text(extent={{-160,50},{40,110}}, textString="%name")}));
  end Pin;
  partial model TwoPin
    Pin p annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Pin n annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={1,2,3})}));
  end TwoPin;
  model Resistor
    extends TwoPin;
    parameter Real R(unit="Ohm") = 10;
    parameter Boolean hot = false;
    Pin heat if hot annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    annotation(Icon(graphics={
      Rectangle(extent={{-70,30},{70,-30}}, fillPattern=FillPattern.Cross, lineColor={9,9,9}, fillColor={255,255,255}),
      Line(visible=hot, points={{0,-100},{0,-30}}, color={191,0,0}),
      Ellipse(extent={{-10,-10},{10,10}}, fillColor=DynamicSelect({7,7,7}, if R > 1 then {8,8,8} else {0,0,0}), fillPattern=FillPattern.Solid),
      Text(extent={{-150,-40},{150,-80}}, textString="R=%R"),
      Text(extent={{-150,90},{150,50}}, textString="%name of %class at 5%%")}));
  end Resistor;
  model Circuit
    Resistor a(R=100) annotation(Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-40,20})));
    Resistor b(R=2, hot=true) annotation(Placement(transformation(extent={{50,-10},{30,10}})));
    Resistor hidden if false annotation(Placement(transformation(extent={{50,-50},{70,-30}})));
    Pin port annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
  equation
    connect(a.n, b.n) annotation(Line(points={{-40,30},{-40,40},{30,40},{30,0}}, color={0,0,255}, smooth=Smooth.Bezier, arrow={Arrow.None,Arrow.Filled}));
    connect(port, a.p) annotation(Line(points={{-100,0},{-40,0},{-40,10}}, color={0,0,255}, pattern=LinePattern.Dash));
    connect(b.p, hidden.p) annotation(Line(points={{50,0},{50,-40}}));
  end Circuit;
  model Stale
    Resistor a annotation(Placement(transformation(extent={{-10,-10},{10,10}})));
    Resistor b annotation(Placement(transformation(extent={{30,-10},{50,10}})));
  equation
    connect(a.n, b.p) annotation(Line(points={{10,0},{20,5}}));
  end Stale;
  model Textual
    Resistor a(R=1);
    Resistor b;
    Resistor c;
  equation
    connect(a.n, b.p);
    connect(b.n, c.p);
  end Textual;
  model Hides
    extends TwoPin annotation(IconMap(primitivesVisible=false));
    annotation(Icon(coordinateSystem(extent={{0,0},{50,20}})));
  end Hides;
  model Partly
    extends TwoPin;
    Pin extra;
  end Partly;
  model Textually
    Pin p;
    Pin n;
  end Textually;
  model Thick
    annotation(Icon(graphics={Rectangle(extent={{-100,-100},{100,100}}, lineThickness=5)}));
  end Thick;
  model ThickInside
    Thick t annotation(Placement(transformation(extent={{-10,-10},{10,10}})));
  end ThickInside;
  record Pair
    Real re;
    Real im;
  end Pair;
  model Tank
    parameter Real height = 2;
    parameter Real wait(unit="s") = 3;
    parameter Pair k(re=1, im=4);
    Real level(start=0.5, unit="m");
    Boolean full = level > 1.5;
    annotation(Icon(graphics={
      Rectangle(extent=DynamicSelect({{-100,-100},{100,0}}, {{-100,-100},{100,-100 + 200*level/height}}), fillPattern=FillPattern.Solid,
        fillColor=DynamicSelect({1,1,1}, if full then {2,2,2} else {3,3,3})),
      Line(visible=DynamicSelect(false, full), points={{0,0},{0,50}}, color={5,5,5}),
      Text(extent={{-100,-40},{100,-80}}, textString=DynamicSelect("%level.start", String(level, significantDigits=3))),
      Text(extent={{-100,40},{100,80}}, textString="%wait s, %wait, k=%k")}));
  end Tank;
  model Plant
    Tank tank annotation(Placement(transformation(extent={{-10,-10},{10,10}})));
  end Plant;
  block State end State;
  model Machine
    State a annotation(Placement(transformation(extent={{-80,20},{-40,60}})));
    State b annotation(Placement(transformation(extent={{20,20},{60,60}})));
    Real t = sample(time, Clock(1, 4));
  equation
    initialState(a) annotation(Line(points={{-60,60},{-60,80}}));
    transition(a, b, t > 0.5, immediate=false, reset=false) annotation(
      Line(points={{-40,40},{20,40}}, color={1,2,3}), Text(string="%condition", extent={{-4,4},{4,10}}));
    transition(b, a, t > 0.8);
  end Machine;
  model TextualMachine
    State a, b;
    Real t = sample(time, Clock(1, 4));
  equation
    initialState(a);
    transition(a, b, t > 0.5);
    transition(b, a, t > 0.8, priority=2);
    transition(b, b, t > 0.9);
  end TextualMachine;
  block Gain
    input Real u;
    output Real y;
  equation
    y = 2*u;
  end Gain;
end P;
"#;

fn library() -> Library {
    let library = Library::new(Arc::default(), SearchPath::default());
    library.add_source("P.mo", BLOCKS).unwrap();
    library
}

fn draw(class: &str, path: &[&str]) -> Drawing {
    let library = library();
    let path: Vec<Symbol> = path.iter().map(|p| Symbol::intern(p)).collect();
    diagram(&library, library.find(class).unwrap(), &path, Theme::Light).unwrap()
}

fn icon_of(class: &str) -> Drawing {
    let library = library();
    icon(&library, library.find(class).unwrap(), Theme::Light).unwrap()
}

/// The things in the group of that name.
fn group<'a>(items: &'a [Item], name: &str) -> Option<&'a [Item]> {
    items.iter().find_map(|i| match i {
        Item::Group { id, items, .. } if id == name => Some(items.as_slice()),
        Item::Group { items, .. } => group(items, name),
        _ => None,
    })
}

fn texts(items: &[Item]) -> Vec<&str> {
    let all = items.iter().flat_map(|i| match i {
        Item::Text { text, .. } => vec![text.as_str()],
        Item::Group { items, .. } => texts(items),
        _ => Vec::new(),
    });
    all.collect()
}

fn paths(items: &[Item]) -> Vec<(&Path, Option<&Pen>, Option<&Brush>)> {
    let all = items.iter().filter_map(|i| match i {
        Item::Path { path, pen, brush } => Some((path, pen.as_ref(), brush.as_ref())),
        _ => None,
    });
    all.collect()
}

fn middle(items: &[Item]) -> (f64, f64) {
    let points: Vec<(f64, f64)> = paths(items).iter().flat_map(|(p, ..)| p.points()).collect();
    let range = |of: fn(&(f64, f64)) -> f64| {
        let low = points.iter().map(of).fold(f64::MAX, f64::min);
        let high = points.iter().map(of).fold(f64::MIN, f64::max);
        0.5 * (low + high)
    };
    (range(|p| p.0), range(|p| p.1))
}

fn near(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9
}

#[test]
fn turned_and_mirrored_components_have_their_connectors_in_place() {
    let drawing = draw("P.Circuit", &[]);
    let at = |name: &str| middle(group(&drawing.scene.items, name).unwrap());
    // Turned by 90 degrees around (-40, 20): the left pin comes below. In a picture downwards is positive.
    assert!(near(at("a.p"), (-40.0, -10.0)), "{:?}", at("a.p"));
    assert!(near(at("a.n"), (-40.0, -30.0)));
    // Mirrored: the left pin comes to the right.
    assert!(near(at("b.p"), (50.0, 0.0)));
    assert!(near(at("b.heat"), (40.0, 10.0)));
    assert_eq!(drawing.components, ["a", "b"]);
    for wire in &drawing.wires {
        assert!(wire.gaps.0 <= 1.0 && wire.gaps.1 <= 1.0, "{wire:?}");
    }
}

#[test]
fn what_a_condition_takes_away_is_not_drawn() {
    let drawing = draw("P.Circuit", &[]);
    let items = &drawing.scene.items;
    assert!(group(items, "hidden").is_none() && group(items, "b.p--hidden.p").is_none());
    assert!(group(items, "a.heat").is_none() && group(items, "b.heat").is_some());
    let red = |name: &str| {
        let all = paths(group(items, name).unwrap());
        let is_red = |p: &&Pen| p.color == Color(191, 0, 0);
        all.iter()
            .filter_map(|(_, pen, _)| *pen)
            .filter(is_red)
            .count()
    };
    assert_eq!((red("a"), red("b")), (0, 1));
    assert_eq!(drawing.wires.len(), 2);
}

#[test]
fn texts_are_filled_in_and_never_mirrored() {
    let drawing = draw("P.Circuit", &[]);
    let of = |name: &str| texts(group(&drawing.scene.items, name).unwrap());
    assert_eq!(of("a"), ["R=100 Ω", "a of Resistor at 5%"]);
    assert_eq!(of("b"), ["R=2 Ω", "b of Resistor at 5%"]);
    assert_eq!(of("port"), ["port"]);
    for (name, turn) in [("a", -90.0), ("b", 0.0)] {
        let items = group(&drawing.scene.items, name).unwrap();
        for item in items {
            if let Item::Text { style, .. } = item {
                assert_eq!(style.turn, turn);
            }
        }
    }
}

#[test]
fn inherited_shapes_lie_below_and_fillings_are_kept() {
    let drawing = icon_of("P.Resistor");
    let all = paths(&drawing.scene.items);
    assert_eq!(all[0].1.unwrap().color, Color(1, 2, 3));
    assert!(matches!(
        all[1].2,
        Some(Brush::Hatch {
            lines: Hatch::Cross,
            ..
        })
    ));
    assert_eq!(all[2].2, Some(&Brush::Solid(Color(7, 7, 7))));
    assert!(
        group(&drawing.scene.items, "p").is_some() && group(&drawing.scene.items, "heat").is_none()
    );
}

#[test]
fn a_map_can_hide_the_shapes_of_a_base_class() {
    let drawing = icon_of("P.Hides");
    let lines = paths(&drawing.scene.items);
    assert!(lines.iter().all(|l| l.1.unwrap().color != Color(1, 2, 3)));
}

#[test]
fn connections_keep_their_lines() {
    let drawing = draw("P.Circuit", &[]);
    let smooth = paths(group(&drawing.scene.items, "a.n--b.n").unwrap());
    assert!(
        smooth[0]
            .0
            .0
            .iter()
            .any(|s| matches!(s, Segment::Cubic(..)))
    );
    assert_eq!(smooth[0].0.0[0], Segment::Move((-40.0, -30.0)));
    assert_eq!(
        smooth[1].2,
        Some(&Brush::Solid(Color(0, 0, 255))),
        "an arrow"
    );
    let dashed = paths(group(&drawing.scene.items, "port--a.p").unwrap());
    assert!(!dashed[0].1.unwrap().dashes.is_empty());
}

#[test]
fn transitions_are_arrows_with_their_conditions() {
    let drawing = draw("P.Machine", &[]);
    let items = group(&drawing.scene.items, "a--b").unwrap();
    let lines = paths(items);
    assert_eq!(lines[0].0.0[0], Segment::Move((-40.0, -40.0)));
    assert_eq!(lines[0].1.unwrap().color, Color(1, 2, 3));
    // Without a reset the head of the arrow is open; the bar stands near the state that is left.
    assert_eq!(lines[1].2, None);
    let Segment::Move((x, _)) = lines[2].0.0[0] else {
        panic!("{lines:?}");
    };
    assert!(-40.0 < x && x < -10.0);
    assert_eq!(texts(items), ["t > 0.5"]);
    let back = group(&drawing.scene.items, "b--a").unwrap();
    let lines = paths(back);
    let curved = lines[0].0.0.iter();
    assert!(curved.clone().any(|s| matches!(s, Segment::Cubic(..))));
    assert!(lines[1].2.is_some(), "a filled head");
    assert_eq!(texts(back), ["t > 0.8"]);
    assert!(group(&drawing.scene.items, "--a").is_some());
    assert!(drawing.wires.iter().all(|w| w.gaps == (0.0, 0.0)));
}

#[test]
fn a_machine_without_places_is_laid_out() {
    let drawing = draw("P.TextualMachine", &[]);
    assert_eq!(drawing.components, ["a", "b"]);
    let of = |name: &str| texts(group(&drawing.scene.items, name).unwrap());
    assert_eq!(of("b--a"), ["2: t > 0.8"]);
    assert_eq!(of("b--b"), ["1: t > 0.9"]);
    assert_eq!(drawing.wires.len(), 3);
    assert!(
        drawing
            .wires
            .iter()
            .all(|w| w.gaps.0 < 1e-9 && w.gaps.1 < 1e-9)
    );
}

#[test]
fn a_line_that_ends_elsewhere_is_led_to_its_connector() {
    let drawing = draw("P.Stale", &[]);
    assert!(drawing.wires[0].is_led && drawing.wires[0].gaps == (0.0, 0.0));
    assert!(draw("P.Circuit", &[]).wires.iter().all(|w| !w.is_led));
}

#[test]
fn a_textual_model_is_laid_out_from_left_to_right() {
    let drawing = draw("P.Textual", &[]);
    let x = |name: &str| middle(group(&drawing.scene.items, name).unwrap()).0;
    assert!(x("a") < x("b") && x("b") < x("c"));
    assert_eq!(drawing.wires.len(), 2);
    for wire in &drawing.wires {
        assert!(wire.gaps.0 <= 1.0 && wire.gaps.1 <= 1.0);
    }
    let svg = ferrica_draw::print(&drawing.scene);
    for part in [
        "<g id=\"a\" class=\"component\">",
        "<g id=\"a.n--b.p\" class=\"connection\">",
    ] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn connectors_without_a_place_are_shown_where_none_has_one() {
    let drawing = icon_of("P.Partly");
    assert!(
        group(&drawing.scene.items, "p").is_some()
            && group(&drawing.scene.items, "extra").is_none()
    );
    let textual = icon_of("P.Textually");
    assert!(
        group(&textual.scene.items, "p").is_some() && group(&textual.scene.items, "n").is_some()
    );
}

#[test]
fn a_thick_border_leaves_room_in_a_small_icon() {
    let drawing = draw("P.ThickInside", &[]);
    let border = paths(group(&drawing.scene.items, "t").unwrap());
    let width = border[0].1.unwrap().width;
    assert!(width > 0.6 && width < 3.0, "{width} of 20 units");
}

#[test]
fn a_class_without_graphics_has_an_icon() {
    let drawing = icon_of("P.Gain");
    assert!(texts(&drawing.scene.items).contains(&"Gain"));
}

/// Half of the icon is filled without a run; at 1.75 of 2 m seven eighths of 20 units are.
#[test]
fn shapes_follow_a_run() {
    let still = draw("P.Plant", &[]);
    assert!(still.moves_with_run);
    let items = group(&still.scene.items, "tank").unwrap();
    assert_eq!(texts(items)[0], "0.5 m");
    let height = |items: &[Item]| {
        let (path, ..) = paths(items)[0];
        let y = path.points().map(|p| p.1);
        let (low, high) = y.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        high - low
    };
    assert!((height(items) - 10.0).abs() < 1e-9);
    let fill = |items: &[Item]| match paths(items)[0].2 {
        Some(Brush::Solid(color)) => *color,
        other => panic!("{other:?}"),
    };
    assert_eq!(fill(items), Color(1, 1, 1));
    let library = library();
    let class = library.find("P.Plant").unwrap();
    let along = |values: &ferrica_diagram::Observed| {
        diagram_along_run(&library, class, &[], Theme::Light, values).unwrap()
    };
    let values = |name: &str| match name {
        "tank.level" => Some(1.75),
        "tank.full" => Some(1.0),
        _ => None,
    };
    let moved = along(&values);
    let items = group(&moved.scene.items, "tank").unwrap();
    assert_eq!(texts(items)[0], "1.75");
    assert!((height(items) - 17.5).abs() < 1e-9);
    assert_eq!(fill(items), Color(2, 2, 2));
    let count = |d: &Drawing| paths(group(&d.scene.items, "tank").unwrap()).len();
    assert_eq!(count(&moved), count(&still) + 1);
    // What a run does not tell stays as it is without one.
    let unknown = along(&|_| None);
    assert_eq!(
        texts(group(&unknown.scene.items, "tank").unwrap())[0],
        "0.5 m"
    );
    assert!(!draw("P.Textually", &[]).moves_with_run);
}

/// A unit that the text has itself is not written twice.
#[test]
fn values_have_one_unit() {
    let still = draw("P.Plant", &[]);
    let items = group(&still.scene.items, "tank").unwrap();
    assert_eq!(texts(items)[1], "3 s, 3 s, k={1, 4}");
}

#[test]
fn the_inside_of_a_component_has_its_values_and_paths() {
    let drawing = draw("P.Circuit", &["b"]);
    assert_eq!(drawing.scene.title, "b: P.Resistor");
    assert!(group(&drawing.scene.items, "b.heat").is_some());
    let outside = draw("P.Circuit", &["a"]);
    assert!(group(&outside.scene.items, "a.heat").is_none());
    let library = library();
    let class = library.find("P.Circuit").unwrap();
    let none = diagram(&library, class, &[Symbol::intern("nothing")], Theme::Light);
    assert!(none.is_none());
}
