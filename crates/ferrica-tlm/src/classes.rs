//! Cells of one cluster: which are alike, and where their numbers are.
//!
//! In: the parts of a cluster as cells, and for each delay how its value travels. Out: classes of cells of one
//! shape with places for their inputs in planes. A plane holds one arriving value for each input with
//! the same delay; planes of a delay form a ring with one plane a step.

use std::collections::HashMap;

use ferrica_codegen::jit::cell::{CellMethod, Shape};

use crate::fuse::Fused;

/// How a delayed value reaches the cells of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// From outside, by the table of another cluster.
    Import,
    /// From a cell of the same cluster, so many steps ago.
    Steps(u64),
}

/// Number of the plane of imports, and of the sink of exports.
pub const OUTSIDE: usize = 0;

/// Cells of one shape.
#[derive(Clone, Debug)]
pub struct Class {
    pub shape: Shape,
    /// Positions in the list of cells.
    pub cells: Vec<usize>,
    /// Planes of the inputs and sinks of the outputs, in the numbering of the shape.
    pub planes: Vec<usize>,
    pub sinks: Vec<usize>,
    /// First input of the class in each of its planes.
    pub first: Vec<u32>,
    /// Places of the outputs, one row a cell.
    pub targets: Vec<u32>,
    /// Of each output: its delay.
    pub output_delays: Vec<Vec<u32>>,
}

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct CellPlan {
    /// Part and cell.
    pub cells: Vec<(usize, Fused)>,
    pub classes: Vec<Class>,
    /// Classes that import or export come first: so many.
    pub outer: usize,
    /// Delay in steps (0: imports) and number of inputs of each plane.
    pub planes: Vec<(u64, usize)>,
    /// Of each cell: the plane and place of its inputs.
    pub inputs: Vec<Vec<(usize, u32)>>,
    /// Delay of each import, in places of its plane.
    pub imports: Vec<u32>,
}

impl CellPlan {
    /// `way` of a delay into this cluster; `column` of a delay that others read.
    pub fn new(
        cells: Vec<(usize, Fused)>,
        method: CellMethod,
        way: impl Fn(u32) -> Way,
        column: impl Fn(u32) -> Option<u32>,
    ) -> CellPlan {
        let mut plan = CellPlan {
            planes: vec![(0, 0)],
            ..CellPlan::default()
        };
        // Which inputs does a delay feed inside of the cluster?
        let mut readers: HashMap<u32, Vec<(usize, usize)>> = HashMap::new();
        for (c, (_, f)) in cells.iter().enumerate() {
            for (k, &d) in f.inputs.iter().enumerate() {
                if way(d) != Way::Import {
                    readers.entry(d).or_default().push((c, k));
                }
            }
        }
        let mut plane_of: HashMap<Way, usize> = HashMap::from([(Way::Import, OUTSIDE)]);
        let mut plane = |w: Way, planes: &mut Vec<(u64, usize)>| {
            *plane_of.entry(w).or_insert_with(|| {
                planes.push((if let Way::Steps(n) = w { n } else { 0 }, 0));
                planes.len() - 1
            })
        };
        let mut class_of: HashMap<(Shape, Vec<usize>, Vec<usize>), usize> = HashMap::new();
        // (delay, reader) of each output of each cell.
        let mut routes: Vec<Vec<(u32, Option<(usize, usize)>)>> = Vec::new();
        for (c, (_, f)) in cells.iter().enumerate() {
            let mut local: Vec<usize> = Vec::new();
            let number = |g: usize, local: &mut Vec<usize>| match local.iter().position(|&l| l == g)
            {
                Some(k) => k as u32,
                None => {
                    local.push(g);
                    local.len() as u32 - 1
                }
            };
            let inputs: Vec<u32> = (f.inputs.iter())
                .map(|&d| {
                    let g = plane(way(d), &mut plan.planes);
                    number(g, &mut local)
                })
                .collect();
            let planes = std::mem::take(&mut local);
            let mut cell = f.cell.clone();
            let mut outputs = Vec::new();
            let mut route = Vec::new();
            cell.outputs.clear();
            for (&d, &r) in f.outputs.iter().zip(&f.cell.outputs) {
                for &reader in readers.get(&d).map_or(&[][..], Vec::as_slice) {
                    let g = plane(way(d), &mut plan.planes);
                    cell.outputs.push(r);
                    outputs.push(number(g, &mut local));
                    route.push((d, Some(reader)));
                }
                if column(d).is_some() {
                    cell.outputs.push(r);
                    outputs.push(number(OUTSIDE, &mut local));
                    route.push((d, None));
                }
            }
            routes.push(route);
            let shape = Shape {
                cell,
                inputs,
                outputs,
                method,
            };
            let key = (shape, planes, local);
            let k = match class_of.get(&key) {
                Some(&k) => k,
                None => {
                    plan.classes.push(Class {
                        shape: key.0.clone(),
                        cells: Vec::new(),
                        planes: key.1.clone(),
                        sinks: key.2.clone(),
                        first: Vec::new(),
                        targets: Vec::new(),
                        output_delays: Vec::new(),
                    });
                    class_of.insert(key, plan.classes.len() - 1);
                    plan.classes.len() - 1
                }
            };
            plan.classes[k].cells.push(c);
        }
        plan.cells = cells;
        let outside = |c: &Class| c.planes.contains(&OUTSIDE) || c.sinks.contains(&OUTSIDE);
        plan.classes.sort_by_key(|c| !outside(c));
        plan.outer = plan.classes.iter().filter(|c| outside(c)).count();
        plan.place_inputs();
        plan.place_outputs(&routes, column);
        plan
    }

    fn place_inputs(&mut self) {
        self.inputs = vec![Vec::new(); self.cells.len()];
        for class in &mut self.classes {
            let shape = &class.shape;
            for (l, &g) in class.planes.iter().enumerate() {
                class.first.push(self.planes[g].1 as u32);
                self.planes[g].1 += shape.inputs_of(l as u32) * class.cells.len();
            }
            for (i, &c) in class.cells.iter().enumerate() {
                let mut taken = vec![0u32; class.planes.len()];
                for &l in &shape.inputs {
                    let l = l as usize;
                    let width = shape.inputs_of(l as u32) as u32;
                    let place = class.first[l] + i as u32 * width + taken[l];
                    taken[l] += 1;
                    self.inputs[c].push((class.planes[l], place));
                }
            }
        }
        self.imports = vec![0; self.planes[OUTSIDE].1];
        for (places, (_, f)) in self.inputs.iter().zip(&self.cells) {
            for (&(g, place), &d) in places.iter().zip(&f.inputs) {
                if g == OUTSIDE {
                    self.imports[place as usize] = d;
                }
            }
        }
    }

    fn place_outputs(
        &mut self,
        routes: &[Vec<(u32, Option<(usize, usize)>)>],
        column: impl Fn(u32) -> Option<u32>,
    ) {
        for class in &mut self.classes {
            for &c in &class.cells {
                for &(d, reader) in &routes[c] {
                    class.targets.push(match reader {
                        Some((cell, k)) => self.inputs[cell][k].1,
                        None => column(d).unwrap_or(0),
                    });
                }
                (class.output_delays).push(routes[c].iter().map(|r| r.0).collect());
            }
        }
    }
}
