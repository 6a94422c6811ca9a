//! What a hybrid model means, and whether every engine agrees.
//!
//! In: the chapters of `tests/hybrid` (a rule, a model, its closed form) or models of a random generator, and the path of the
//! program. Out: the table engine × rule, compared with the table that is stored beside the chapters, and a page of the book.
//! The program runs as a process of its own for each cell: a crash or a run without end is a verdict and not the end of the test.
//!
//! **Invariant**: a cell is right, a refusal with a code, or wrong. Nothing here knows how an engine works.

pub mod cases;
pub mod cell;
pub mod chapters;
pub mod closed_form;
pub mod engines;
pub mod expected;
pub mod exported;
pub mod page;
pub mod random;
pub mod table;
pub mod trajectory;
