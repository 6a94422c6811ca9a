//! Derivatives and crossing functions that are one kernel each, as records in one array.
//!
//! A record holds which code computes it, the largest value it has had, and a copy of the constants it
//! reads: a function evaluation touches one or two cache lines beside its arguments, whatever the
//! size of the model. Evaluations of one shape share their code.
//!
//! Invariant: the constants of a record equal the slots they were copied from; whoever changes such a
//! slot calls [`Plans::renew`] for the readers.

use ferrica_codegen::jit::{PlacedCode, Spot};
use ferrica_codegen::kernel::{Bin, Kernel, KernelId, Op, Reg, Un};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{Evaluator, Layout, Slot};
use ferrica_ir::elementary::is_smooth;
use rustc_hash::FxHashMap;

use crate::bank::TaylorForms;
use crate::fuse::Fused;
use crate::taylor_kernel::Motion;
use ferrica_codegen::lists::Packed;

/// Words before the constants of a record.
const HEAD: usize = 2;
const LARGEST: usize = 1;
/// Most coefficients of a result, and the time before them.
const OUTPUTS: usize = 6;
/// Marks records that are not one kernel.
const ELSEWHERE: u64 = 1 << 32;

/// What is known of a function's dependence on its arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(u8)]
pub enum Shapeliness {
    #[default]
    /// Their Taylor polynomials are all there is.
    Affine,
    /// The first omitted coefficient tells how it bends.
    Bent,
    /// Nothing, but it is smooth.
    Unknown,
    /// It may have kinks or jumps that no event tells of (`noEvent`, `abs`, calls of functions): Taylor polynomials say nothing of what is behind
    /// them.
    Kinked,
}

/// May the kernel have kinks or jumps in its moving operands? Equality of moving values, as where an equation leaves its unknown open, holds at
/// single instants, or from where they come to rest: what is chosen by it has no kink of its own.
pub fn has_kinks(kernel: &Kernel, moving: impl Fn(u32) -> bool) -> bool {
    let mut moves: Vec<bool> = Vec::with_capacity(kernel.ops.len());
    // Conditions that are equalities.
    let mut equal: Vec<bool> = Vec::with_capacity(kernel.ops.len());
    let mut kinks = false;
    for op in &kernel.ops {
        let of = |r: Reg| moves[r as usize];
        let is_equality = match *op {
            Op::Binary(Bin::Eq, ..) => true,
            Op::Binary(Bin::And, a, b) => equal[a as usize] && equal[b as usize],
            _ => false,
        };
        equal.push(is_equality);
        let (own, smooth) = match *op {
            Op::Load(k) => (moving(k), true),
            Op::Const(_) => (false, true),
            Op::Unary(f, a) => {
                let smooth = match f {
                    Un::Neg => true,
                    Un::Not => false,
                    Un::Math(f) => is_smooth(f),
                };
                (of(a), smooth)
            }
            Op::PowI(a, _) => (of(a), true),
            Op::Binary(f, a, b) => {
                let smooth = match f {
                    Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Pow => true,
                    Bin::Math(f) => is_smooth(f),
                    _ => is_equality,
                };
                (of(a) || of(b), smooth)
            }
            Op::Select(c, a, b) => (of(a) || of(b) || of(c), !of(c) || equal[c as usize]),
            Op::Call(_) | Op::Result => (true, false),
        };
        kinks |= own && !smooth;
        moves.push(own);
    }
    kinks
}

/// Degree of each result in the moving operands: 0, 1, or 2 for everything else.
pub fn degrees(kernel: &Kernel, moving: impl Fn(u32) -> bool) -> Vec<u8> {
    let mut degree: Vec<u8> = Vec::with_capacity(kernel.ops.len());
    for op in &kernel.ops {
        let of = |r: Reg| degree[r as usize];
        let bent = |d: u8| if d == 0 { 0 } else { 2 };
        let d = match *op {
            Op::Load(k) => u8::from(moving(k)),
            Op::Const(_) => 0,
            Op::Unary(Un::Neg, a) => of(a),
            Op::Unary(_, a) | Op::PowI(a, _) => bent(of(a)),
            Op::Binary(Bin::Add | Bin::Sub, a, b) => of(a).max(of(b)),
            Op::Binary(Bin::Mul, a, b) => (of(a) + of(b)).min(2),
            Op::Binary(Bin::Div, a, b) => of(a).max(bent(of(b))),
            Op::Binary(_, a, b) => bent(of(a).max(of(b))),
            Op::Select(c, a, b) => of(a).max(of(b)).max(bent(of(c))),
            Op::Call(_) | Op::Result => 2,
        };
        degree.push(d);
    }
    kernel.results.iter().map(|&r| degree[r as usize]).collect()
}

/// How an evaluation is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By the code of a shape.
    Shape(usize),
    /// By something that the owner has under this number.
    Elsewhere(u32),
}

#[derive(Clone, Debug)]
struct Shape {
    kernel: KernelId,
    spots: Vec<Spot>,
}

/// Records one after the other: where each begins, its words, the slots they are copies of.
#[derive(Clone, Debug, Default)]
struct Building {
    start: Vec<u32>,
    words: Vec<f64>,
    slots: Vec<Slot>,
}

/// See the module comment.
pub struct Plans {
    forms: TaylorForms,
    /// Coefficients of the arguments and of the results.
    given: usize,
    count: usize,
    /// The coefficient of the last result after those that were asked for.
    omitted: f64,
    /// Records as they are pushed, until they are sealed.
    building: Building,
    words: Packed<f64>,
    /// Slot that each word is a copy of; meaningless in the head of a record and in its padding.
    slots: Packed<Slot>,
    shapes: Vec<Shape>,
    known: FxHashMap<(KernelId, Vec<Spot>), u32>,
    code: Option<PlacedCode>,
    vm: Vm,
    /// Why an evaluation was not a number.
    failure: Option<String>,
}

impl Plans {
    /// Evaluations of arguments with so many coefficients, whose results have `beyond` more.
    pub fn new(given: usize, beyond: usize) -> Plans {
        Plans {
            forms: TaylorForms::default(),
            given,
            count: given + beyond,
            omitted: 0.0,
            building: Building {
                start: vec![0],
                ..Building::default()
            },
            words: Packed::default(),
            slots: Packed::default(),
            shapes: Vec::new(),
            known: FxHashMap::default(),
            code: None,
            vm: Vm::default(),
            failure: None,
        }
    }

    fn record(&mut self, way: u64, constants: &[Slot]) {
        let Building {
            start,
            words,
            slots,
        } = &mut self.building;
        words.push(f64::from_bits(way));
        words.push(0.0);
        words.resize(words.len() + constants.len(), 0.0);
        slots.extend([Layout::TIME; HEAD]);
        slots.extend_from_slice(constants);
        start.push(words.len() as u32);
    }

    /// Adds an evaluation that is done elsewhere.
    pub fn push_elsewhere(&mut self, number: u32) {
        self.record(ELSEWHERE | u64::from(number), &[]);
    }

    /// Adds an evaluation that is one kernel; `None` if it cannot be one record: it calls functions, or
    /// reads what is neither an argument nor constant.
    pub fn push(
        &mut self,
        fused: &Fused,
        motion_of: &dyn Fn(Slot) -> Motion,
        arguments: &[Slot],
    ) -> Option<Shapeliness> {
        if !fused.kernel.calls.is_empty() || fused.results.len() != 1 {
            return None;
        }
        let (kernel, operands) = self.forms.of(fused, [self.count, self.given], motion_of);
        let (count, given) = (self.count as u32, self.given as u32);
        let mut constants: Vec<Slot> = Vec::new();
        let mut spots = Vec::with_capacity(operands.len() + self.count);
        for &(k, c) in operands.iter() {
            let slot = fused.operands[k as usize];
            let spot = if slot == Layout::TIME {
                Spot::Output(0)
            } else if let Some(k) = arguments.iter().position(|&a| a == slot) {
                Spot::Argument(k as u32 * given + c)
            } else if motion_of(slot) == Motion::Constant {
                let known = constants.iter().position(|&s| s == slot);
                let at = known.unwrap_or_else(|| {
                    constants.push(slot);
                    constants.len() - 1
                });
                Spot::Constant(at as u32)
            } else {
                return None;
            };
            spots.push(spot);
        }
        spots.extend((0..count).map(|c| Spot::Output(1 + c)));
        let next = self.shapes.len() as u32;
        let shape = *self.known.entry((kernel, spots.clone())).or_insert(next);
        if shape == next {
            self.shapes.push(Shape { kernel, spots });
        }
        self.record(u64::from(shape), &constants);
        let moving = |k: u32| motion_of(fused.operands[k as usize]) != Motion::Constant;
        Some(if has_kinks(&fused.kernel, moving) {
            Shapeliness::Kinked
        } else if degrees(&fused.kernel, moving)[0] < 2 {
            Shapeliness::Affine
        } else {
            Shapeliness::Bent
        })
    }

    /// All are there: compiles them and copies the constants.
    pub fn seal(&mut self, slots: &[f64]) {
        self.code = PlacedCode::new(
            self.shapes
                .iter()
                .map(|s| (&self.forms.kernels.kernels[s.kernel], &s.spots[..])),
        );
        let built = std::mem::take(&mut self.building);
        self.words = Packed::new(&built.start, built.words, 0.0);
        self.slots = Packed::new(&built.start, built.slots, Layout::TIME);
        for k in 0..built.start.len() - 1 {
            self.refresh(k, slots);
        }
    }

    /// Different kernels.
    pub fn shapes(&self) -> usize {
        self.shapes.len()
    }

    /// Copies the constants of an evaluation.
    fn refresh(&mut self, index: usize, slots: &[f64]) {
        let words = &mut self.words.record_mut(index)[HEAD..];
        for (word, &slot) in words.iter_mut().zip(&self.slots.record(index)[HEAD..]) {
            *word = slots[slot as usize];
        }
    }

    /// A constant of an evaluation has a new value.
    pub fn renew(&mut self, index: usize, constant: Slot, value: f64) {
        let words = &mut self.words.record_mut(index)[HEAD..];
        for (word, &slot) in words.iter_mut().zip(&self.slots.record(index)[HEAD..]) {
            if slot == constant {
                *word = value;
            }
        }
    }

    /// Asks the memory for what a new value of a constant needs.
    #[inline]
    pub fn renewal_ahead(&self, index: usize) {
        self.slots.prefetch(index);
    }

    #[inline]
    pub fn ahead(&self, index: usize) {
        self.words.prefetch(index);
    }

    #[inline]
    pub fn way(&self, index: usize) -> Way {
        let bits = self.words.item(self.words.at(index)).to_bits();
        if bits & ELSEWHERE == 0 {
            Way::Shape(bits as usize)
        } else {
            Way::Elsewhere(bits as u32)
        }
    }

    /// Notes a value.
    #[inline]
    pub fn note(&mut self, index: usize, value: f64) {
        let at = self.words.at(index);
        let largest = self.words.item_mut(at + LARGEST);
        if value.abs() > *largest {
            *largest = value.abs();
        }
    }

    pub fn largest(&self, index: usize) -> f64 {
        self.words.item(self.words.at(index) + LARGEST)
    }

    /// Evaluates a record from the polynomials of its arguments. Not a number: see
    /// [`Plans::failure`].
    #[inline]
    pub fn run<const C: usize>(
        &mut self,
        shape: usize,
        index: usize,
        time: f64,
        arguments: &[[f64; C]],
        evaluator: &mut Evaluator,
    ) -> [f64; C] {
        let constants = &self.words.record(index)[HEAD..];
        let mut output = [0.0; OUTPUTS];
        output[0] = time;
        let Some(code) = &self.code else {
            return self.interpret(shape, index, time, arguments, evaluator);
        };
        code.run(shape, arguments.as_flattened(), constants, &mut output);
        self.omitted = output[1 + C];
        // One number at a time: the code stores them so, and a load of several at once would have to
        // wait until the stores have left for the cache.
        std::array::from_fn(|k| {
            // SAFETY: a reference to an initialized number.
            unsafe { std::ptr::read_volatile(&raw const output[1 + k]) }
        })
    }

    /// The same where there is no machine code.
    #[cold]
    fn interpret<const C: usize>(
        &mut self,
        shape: usize,
        index: usize,
        time: f64,
        arguments: &[[f64; C]],
        evaluator: &mut Evaluator,
    ) -> [f64; C] {
        let kernel = &self.forms.kernels.kernels[self.shapes[shape].kernel];
        let mut slots = arguments.as_flattened().to_vec();
        let first = slots.len() as u32;
        slots.extend_from_slice(&self.words.record(index)[HEAD..]);
        let second = slots.len() as u32;
        slots.push(time);
        slots.resize(slots.len() + self.count, 0.0);
        let row: Vec<u32> = self.shapes[shape]
            .spots
            .iter()
            .map(|&s| match s {
                Spot::Argument(k) => k,
                Spot::Constant(k) => first + k,
                Spot::Output(k) => second + k,
            })
            .collect();
        let functions = &evaluator.model.functions;
        let rt = &mut evaluator.rt;
        let done = self.vm.batch(functions, rt, kernel, &row, 1, &mut slots);
        if let Err(message) = done {
            self.failure.get_or_insert(message);
            return [f64::NAN; C];
        }
        let at = second as usize + 1;
        self.omitted = slots.get(at + C).copied().unwrap_or(0.0);
        std::array::from_fn(|k| slots[at + k])
    }

    /// The first coefficient that the last evaluation left out.
    #[inline]
    pub fn omitted(&self) -> f64 {
        self.omitted
    }

    /// Why an evaluation was not a number.
    pub fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }
}
