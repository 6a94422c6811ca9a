//! Ferrica as a library: models in, trajectories out.

pub mod bond_graph;
pub mod checkpoint;
pub mod experiment;
pub mod failure;
pub mod fitting;
pub mod instance_text;
pub mod kernel_text;
pub mod library;
pub mod options;
pub mod overrides;
pub mod partitioned;
pub mod pictures;
pub mod pipeline;
pub mod ranks;
pub mod real_time;
pub mod recorder;
pub mod report;
pub mod solving;
pub mod stats;
pub mod undefined;
