//! Models of one cluster: loom runs them in every interleaving, with every value that a relaxed
//! load may return.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, PoisonError};

use loom::sync::Arc;
use loom::thread;

use super::strategies::sample_entry;
use crate::table::cluster::{Cluster, Contents, SLOTS};
use crate::table::entry::{Age, Packed};

/// Collects values over all runs of a model, so its mutex is that of the standard library.
struct Seen<T>(LazyLock<Mutex<HashSet<T>>>);

impl<T: Eq + Hash> Seen<T> {
    const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    fn add(&self, value: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(value);
    }

    fn has(&self, value: T) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&value)
    }
}

/// The value that a reader may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Found {
    Torn,
    Intact(usize),
}

fn packed(key: u16) -> Packed {
    Packed::new(sample_entry(key), Age::new(0))
}

/// Returns the empty contents and those of two writers, which differ in every word.
fn written() -> [Contents; 3] {
    [0, 10, 20].map(|first| {
        let mut contents = Contents::default();
        if first != 0 {
            (0..SLOTS).for_each(|slot| {
                contents.put(slot, first + slot as u16, packed(first + slot as u16))
            });
        }
        Contents { keys: contents.keys_with_checksum(), ..contents }
    })
}

fn found(read: Option<Contents>) -> Found {
    read.map_or(Found::Torn, |read| {
        let which = written().iter().position(|whole| *whole == read);
        Found::Intact(which.unwrap_or_else(|| panic!("a mixture passed as intact: {read:?}")))
    })
}

/// Without the bound the models take more than nine minutes. With it clusters still tear, as the
/// tests assert.
fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(run);
}

fn spawn(cluster: &Arc<Cluster>, work: impl FnOnce(&Cluster) + 'static) -> thread::JoinHandle<()> {
    let cluster = Arc::clone(cluster);
    thread::spawn(move || work(&cluster))
}

fn join(threads: impl IntoIterator<Item = thread::JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().expect("a thread ends"));
}

/// Without this the models below would fail by chance, not by fault.
#[test]
fn loom_values_do_not_collide() {
    let written = written();
    let mut whole = 0;
    for choice in 0..3_usize.pow(4) {
        let word = |place: u32| &written[choice / 3_usize.pow(place) % 3];
        let slots = [0, 1, 2].map(|slot| word(slot as u32).slots[slot]);
        let mixture = Contents { slots, keys: word(3).keys };
        assert_eq!(mixture.is_intact(), written.contains(&mixture));
        whole += usize::from(mixture.is_intact());
    }
    assert_eq!(whole, 3);
}

#[test]
fn loom_a_reader_sees_a_whole_cluster_or_a_miss() {
    static SEEN: Seen<Found> = Seen::new();
    model(|| {
        let cluster = Arc::new(Cluster::default());
        let writers =
            [1, 2].map(|which| spawn(&cluster, move |cluster| cluster.write(&written()[which])));
        SEEN.add(found(cluster.read()));
        join(writers);
    });
    let all = [Found::Torn, Found::Intact(0), Found::Intact(1), Found::Intact(2)];
    assert!(all.into_iter().all(|found| SEEN.has(found)), "the model does not tear");
}

/// The proof that the checksum is needed: the same model, but all that is loaded is believed.
#[test]
fn loom_without_the_checksum_mixtures_are_seen() {
    static MIXED: Seen<bool> = Seen::new();
    model(|| {
        let cluster = Arc::new(Cluster::default());
        let writers =
            [1, 2].map(|which| spawn(&cluster, move |cluster| cluster.write(&written()[which])));
        let loaded = cluster.load();
        MIXED.add(!written().contains(&loaded));
        join(writers);
    });
    assert!(MIXED.has(true) && MIXED.has(false));
}

/// Two writers may leave a torn cluster behind; the next store mends it.
#[test]
fn loom_a_store_mends_what_two_stores_have_torn() {
    static LEFT: Seen<bool> = Seen::new();
    model(|| {
        let cluster = Arc::new(Cluster::default());
        let writers =
            [1, 2].map(|key| spawn(&cluster, move |cluster| cluster.store(key, packed(key))));
        for key in [1, 2] {
            let entry = cluster.probe(key);
            assert!(entry.is_none_or(|entry| entry == packed(key)), "{entry:?}");
        }
        join(writers);
        LEFT.add(cluster.read().is_some());
        cluster.store(3, packed(3));
        assert_eq!(cluster.probe(3), Some(packed(3)));
    });
    assert!(LEFT.has(true) && LEFT.has(false));
}
