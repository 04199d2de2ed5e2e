//! A cluster under every order of accesses that the memory model allows.

use std::collections::HashSet;
use std::sync::Mutex;

use loom::sync::Arc;

use super::cluster::{Cluster, Contents};
use super::entry::{Age, Packed};
use super::testing::derived;

/// Different in every word, and with different checksums.
fn contents(key: u16) -> Contents {
    let mut contents = Contents::default();
    for slot in 0..3 {
        let key = key + slot as u16;
        contents.put(slot, key, Packed::new(derived(key), Age::new(1)));
    }
    contents.keys = contents.sealed_keys();
    contents
}

/// Two writers and a reader: the reader gets what one of them wrote, the empty cluster, or nothing.
#[test]
fn readers_see_whole_clusters_or_nothing() {
    static SEEN: Mutex<Option<HashSet<&str>>> = Mutex::new(None);
    let note = |what| {
        let mut seen = SEEN.lock().expect("no test panics with this lock");
        seen.get_or_insert_default().insert(what);
    };
    let (first, second) = (contents(1000), contents(40_000));
    assert_ne!(first.checksum(), second.checksum());
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let cluster = Arc::new(Cluster::default());
        let writers = [first, second].map(|contents| {
            let cluster = Arc::clone(&cluster);
            loom::thread::spawn(move || cluster.write(&contents))
        });
        note(match cluster.read() {
            None => "torn",
            Some(read) if read == Contents::default() => "empty",
            Some(read) if read == first => "first",
            Some(read) if read == second => "second",
            Some(read) => panic!("a mixture passed for whole: {read:?}"),
        });
        for writer in writers {
            writer.join().expect("a writer ends");
        }
    });
    // The model is worth something just if it came upon torn reads at all.
    let seen = SEEN.lock().expect("no test panics with this lock").take();
    assert_eq!(seen.map(|all| all.len()), Some(4));
}
