//! Black-box tests, in one program: it links once, and its tests share the processors.

#![allow(clippy::print_stderr)]

mod abuse;
mod answers;
mod arena;
mod bench;
mod breed;
mod chess960;
mod cli;
mod cluster;
mod cluster_access;
mod cluster_trust;
mod compliance;
mod dashboard;
mod datagen;
mod documents;
mod fastchess;
mod faults;
mod go;
mod judge;
mod layout;
mod match_report;
mod null_move;
mod openbench;
mod openings;
mod perft;
mod pipe;
mod pondering;
mod resume;
mod spsa;
mod streams;
mod strength;
mod study;
mod syzygy;
mod threads;
mod time;
mod uci;
mod wdl;
