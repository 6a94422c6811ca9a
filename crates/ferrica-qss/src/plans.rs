//! Derivatives and crossing functions that are one kernel each, as records in one array.
//!
//! A record holds which code computes it, the largest value it has had, and a copy of the constants it
//! reads: a function evaluation touches one or two cache lines beside its arguments, whatever the
//! size of the model. Evaluations of one shape share their code.
//!
//! Invariant: the constants of a record equal the slots they were copied from; whoever changes such a
//! slot calls [`Plans::refresh`] for the readers.

use ferrica_codegen::jit::{PlacedCode, Spot};
use ferrica_codegen::kernel::KernelId;
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{Evaluator, Layout, Slot};
use rustc_hash::FxHashMap;

use crate::bank::TaylorForms;
use crate::fuse::Fused;
use crate::memory::prefetch;
use crate::taylor_kernel::Motion;

/// Words before the constants of a record.
const HEAD: usize = 2;
const LARGEST: usize = 1;
/// Most coefficients of a result, and the time before them.
const OUTPUTS: usize = 6;
/// Marks records that are not one kernel.
const ELSEWHERE: u64 = 1 << 32;

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

/// See the module comment.
pub struct Plans {
    forms: TaylorForms,
    count: usize,
    start: Vec<u32>,
    words: Vec<f64>,
    /// Slot that each word is a copy of; meaningless in the head of a record.
    slots: Vec<Slot>,
    shapes: Vec<Shape>,
    known: FxHashMap<(KernelId, Vec<Spot>), u32>,
    code: Option<PlacedCode>,
    vm: Vm,
}

impl Plans {
    /// Evaluations with so many coefficients.
    pub fn new(count: usize) -> Plans {
        Plans {
            forms: TaylorForms::default(),
            count,
            start: vec![0],
            words: Vec::new(),
            slots: Vec::new(),
            shapes: Vec::new(),
            known: FxHashMap::default(),
            code: None,
            vm: Vm::default(),
        }
    }

    fn record(&mut self, way: u64, constants: &[Slot]) {
        self.words.push(f64::from_bits(way));
        self.words.push(0.0);
        self.words.resize(self.words.len() + constants.len(), 0.0);
        self.slots.extend([Layout::TIME; HEAD]);
        self.slots.extend_from_slice(constants);
        self.start.push(self.words.len() as u32);
    }

    /// Adds an evaluation that is done elsewhere.
    pub fn push_elsewhere(&mut self, number: u32) {
        self.record(ELSEWHERE | u64::from(number), &[]);
    }

    /// Adds an evaluation that is one kernel; false if it cannot be one record: it calls functions, or
    /// reads what is neither an argument nor constant.
    pub fn push(
        &mut self,
        fused: &Fused,
        motion_of: &dyn Fn(Slot) -> Motion,
        arguments: &[Slot],
    ) -> bool {
        if !fused.kernel.calls.is_empty() || fused.results.len() != 1 {
            return false;
        }
        let (kernel, operands) = self.forms.of(fused, self.count, motion_of);
        let count = self.count as u32;
        let mut constants: Vec<Slot> = Vec::new();
        let mut spots = Vec::with_capacity(operands.len() + self.count);
        for &(k, c) in operands.iter() {
            let slot = fused.operands[k as usize];
            let spot = if slot == Layout::TIME {
                Spot::Output(0)
            } else if let Some(k) = arguments.iter().position(|&a| a == slot) {
                Spot::Argument(k as u32 * count + c)
            } else if motion_of(slot) == Motion::Constant {
                let known = constants.iter().position(|&s| s == slot);
                let at = known.unwrap_or_else(|| {
                    constants.push(slot);
                    constants.len() - 1
                });
                Spot::Constant(at as u32)
            } else {
                return false;
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
        true
    }

    /// All are there: compiles them and copies the constants.
    pub fn seal(&mut self, slots: &[f64]) {
        self.code = PlacedCode::new(
            self.shapes
                .iter()
                .map(|s| (&self.forms.kernels.kernels[s.kernel], &s.spots[..])),
        );
        for k in 0..self.start.len() - 1 {
            self.refresh(k, slots);
        }
    }

    /// Different kernels.
    pub fn shapes(&self) -> usize {
        self.shapes.len()
    }

    #[inline]
    fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.start[index] as usize..self.start[index + 1] as usize
    }

    /// Copies the constants of an evaluation again.
    pub fn refresh(&mut self, index: usize, slots: &[f64]) {
        for k in self.range(index).skip(HEAD) {
            self.words[k] = slots[self.slots[k] as usize];
        }
    }

    #[inline]
    pub fn ahead(&self, index: usize) {
        prefetch(&self.words[self.start[index] as usize]);
    }

    #[inline]
    pub fn way(&self, index: usize) -> Way {
        let bits = self.words[self.start[index] as usize].to_bits();
        if bits & ELSEWHERE == 0 {
            Way::Shape(bits as usize)
        } else {
            Way::Elsewhere(bits as u32)
        }
    }

    /// Notes a value, and says the largest so far.
    #[inline]
    pub fn note(&mut self, index: usize, value: f64) {
        let largest = &mut self.words[self.start[index] as usize + LARGEST];
        *largest = largest.max(value.abs());
    }

    pub fn largest(&self, index: usize) -> f64 {
        self.words[self.start[index] as usize + LARGEST]
    }

    /// Evaluates a record from the polynomials of its arguments.
    #[inline]
    pub fn run<const C: usize>(
        &mut self,
        shape: usize,
        index: usize,
        time: f64,
        arguments: &[[f64; C]],
        evaluator: &mut Evaluator,
    ) -> Result<[f64; C], String> {
        let range = self.range(index);
        let constants = &self.words[range.start + HEAD..range.end];
        let mut output = [0.0; OUTPUTS];
        output[0] = time;
        match &self.code {
            Some(code) => code.run(shape, arguments.as_flattened(), constants, &mut output),
            None => {
                let kernel = &self.forms.kernels.kernels[self.shapes[shape].kernel];
                let mut slots = arguments.as_flattened().to_vec();
                let first = slots.len() as u32;
                slots.extend_from_slice(constants);
                let second = slots.len() as u32;
                slots.extend(output);
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
                self.vm
                    .batch(functions, &mut evaluator.rt, kernel, &row, 1, &mut slots)?;
                output.copy_from_slice(&slots[second as usize..]);
            }
        }
        Ok(std::array::from_fn(|k| output[1 + k]))
    }
}
