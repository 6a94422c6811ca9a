//! Modelica text in, a lossless token list, a syntax tree and a list of errors out.

pub mod ast;
