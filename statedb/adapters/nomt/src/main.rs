//! nomt behind getio's protocol. Keys are paths of its trie, 32 bytes; values lie in a
//! separate tree and are read without the trie.

use std::process::ExitCode;

use bitvec::prelude::*;
use getio_adapter::{
    Answer, Cache, Claim, Configuration, Engine, Error, Hello, Open, Opened, Options, Proofs, Record, Result, Stat,
    Store, run,
};
use nomt::hasher::{Blake3Hasher, ValueHasher};
use nomt::proof::{PathProof, PathProofTerminal};
use nomt::trie::{KeyPath, LeafData};
use nomt::{KeyReadWrite, Nomt, SessionParams};

const MIB: u64 = 1 << 20;

/// A limit against mistakes; nomt itself allows 512 MiB.
const MAX_VALUE: u32 = 16 << 20;

struct Adapter;

impl Engine for Adapter {
    fn hello(&self) -> Hello {
        let cache = |name: &str, least| Cache { name: name.into(), least, stays: false };
        Hello {
            engine: "nomt".into(),
            engine_version: "1.0.5".into(),
            patches: vec![],
            configurations: vec![Configuration {
                name: "blake3".into(),
                about: "binary Merkle trie over Blake3".into(),
                min_key: 32,
                max_key: 32,
                max_value: MAX_VALUE,
                proofs: Proofs::All,
                ordered: true,
                // A branch node of 4 KiB for about 200 leaves of 4 KiB, with values of 110
                // bytes; one byte for each bucket of the hash table.
                memory_per_key: 1.5,
                caches: vec![cache("page cache", MIB), cache("leaf cache", MIB), cache("upper levels", 0)],
                ..Configuration::default()
            }],
        }
    }

    fn open(&self, open: &Open) -> Result<(Box<dyn Store>, Opened)> {
        let mib = (open.cache_bytes / 2 / MIB).max(1);
        let defaults = [
            ("page_cache_mib", mib),
            ("leaf_cache_mib", mib),
            ("page_cache_upper_levels", 0),
            ("hashtable_buckets", buckets(open.keys)),
            ("commit_concurrency", 1),
            ("io_workers", 3),
            ("preallocate_ht", 1),
        ];
        let options = Options::new(&defaults, &open.options)?;
        open.expect_store("meta")?;
        let nomt = open_nomt(&open.dir, &options)?;
        let opened = Opened { root: root(&nomt), options: options.shown() };
        let store = State { dir: open.dir.clone(), options, nomt: Some(nomt), loaded: vec![], proofs: vec![] };
        Ok((Box::new(store), opened))
    }
}

/// The number of 4 KiB buckets of the hash table of trie pages for this number of keys, whose hashes are
/// random: twice the pages to expect. A page holds six levels of the trie; pages with fewer than
/// 20 keys below them are not stored.
fn buckets(keys: u64) -> u64 {
    let pages: f64 = (0..8).map(|level| 64f64.powi(level)).map(|n| n * at_least(20, keys as f64 / n)).sum();
    4096 + 2 * pages.ceil() as u64
}

/// The probability that a number with Poisson's distribution and this mean is at least n.
fn at_least(n: u32, mean: f64) -> f64 {
    let mut exactly = (-mean).exp();
    let mut fewer = 0.0;
    for k in 0..n {
        fewer += exactly;
        exactly *= mean / f64::from(k + 1);
    }
    (1.0 - fewer).max(0.0)
}

fn open_nomt(dir: &str, options: &Options) -> Result<Nomt<Blake3Hasher>> {
    if options.get("io_workers") == 0 || options.get("hashtable_buckets") == 0 {
        return Err("io_workers and hashtable_buckets have to be at least 1".into());
    }
    let mut o = nomt::Options::new();
    o.path(dir);
    o.page_cache_size(options.get("page_cache_mib") as usize);
    o.leaf_cache_size(options.get("leaf_cache_mib") as usize);
    o.page_cache_upper_levels(options.get("page_cache_upper_levels") as usize);
    o.hashtable_buckets(u32::try_from(options.get("hashtable_buckets"))?);
    o.commit_concurrency(options.get("commit_concurrency") as usize);
    o.io_workers(options.get("io_workers") as usize);
    o.preallocate_ht(options.get("preallocate_ht") != 0);
    Nomt::open(o).map_err(|e| format!("{e:#}").into())
}

fn root(nomt: &Nomt<Blake3Hasher>) -> Vec<u8> {
    if nomt.is_empty() { vec![] } else { nomt.root().into_inner().to_vec() }
}

struct State {
    dir: String,
    options: Options,
    nomt: Option<Nomt<Blake3Hasher>>, // none only if reopening failed
    loaded: Vec<(KeyPath, Vec<u8>)>,
    proofs: Vec<(KeyPath, PathProof)>,
}

impl State {
    fn nomt(&self) -> Result<&Nomt<Blake3Hasher>> {
        self.nomt.as_ref().ok_or_else(|| Error::from("the store could not be opened again"))
    }
}

impl Store for State {
    fn load(&mut self, records: &[Record<'_>]) -> Result<()> {
        for (key, value) in records {
            self.loaded.push(((*key).try_into().map_err(|_| "keys have 32 bytes")?, value.to_vec()));
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<Vec<u8>> {
        let mut loaded = std::mem::take(&mut self.loaded);
        loaded.reverse();
        loaded.sort_by_key(|(key, _)| *key); // stable: the last value of a key comes first
        loaded.dedup_by_key(|(key, _)| *key);
        let nomt = self.nomt()?;
        let session = nomt.begin_session(SessionParams::default());
        let writes = loaded.into_iter().map(|(key, value)| (key, KeyReadWrite::Write(Some(value)))).collect();
        session.finish(writes)?.commit(nomt)?;
        Ok(root(nomt))
    }

    fn get(&mut self, keys: &[&[u8]], proofs: bool) -> Result<Vec<Answer>> {
        let mut kept = Vec::new();
        let session = self.nomt()?.begin_session(SessionParams::default());
        let mut answers = Vec::with_capacity(keys.len());
        for key in keys {
            let key: KeyPath = (*key).try_into().map_err(|_| "keys have 32 bytes")?;
            let mut answer = Answer { value: session.read(key)?, proof: 0 };
            if proofs {
                let proof = session.prove(key)?;
                answer.proof = size(&proof);
                kept.push((key, proof));
            }
            answers.push(answer);
        }
        drop(session);
        self.proofs = kept;
        Ok(answers)
    }

    fn check(&mut self, root: &[u8], claims: &[Claim<'_>]) -> Result<Vec<bool>> {
        let root = if root.is_empty() { [0; 32] } else { root.try_into().map_err(|_| "roots have 32 bytes")? };
        let proves = |(key, proof): &(KeyPath, PathProof), claim: &Claim<'_>| {
            let Ok(verified) = proof.verify::<Blake3Hasher>(key.view_bits::<Msb0>(), root) else { return false };
            match claim {
                Some(value) => {
                    verified.confirm_value(&LeafData { key_path: *key, value_hash: Blake3Hasher::hash_value(value) })
                }
                None => verified.confirm_nonexistence(key),
            }
            .unwrap_or(false)
        };
        Ok(self.proofs.iter().zip(claims).map(|(proof, claim)| proves(proof, claim)).collect())
    }

    fn stats(&mut self) -> Result<Vec<Stat>> {
        let table = self.nomt()?.hash_table_utilization();
        let count = |name, value: usize| Stat { name, unit: "count", value: value as f64 };
        Ok(vec![count("hashtable_buckets", table.capacity), count("hashtable_pages", table.occupied)])
    }

    /// All of nomt's caches live as long as it is open.
    fn drop_caches(&mut self) -> Result<()> {
        drop(self.nomt.take());
        self.nomt = Some(open_nomt(&self.dir, &self.options)?);
        Ok(())
    }

    // Every commit of nomt is durable and leaves no background work, so there is nothing to
    // wait for or to write on close.
}

/// The hashes beside the path, and its terminal node.
fn size(proof: &PathProof) -> u32 {
    let end = match proof.terminal {
        PathProofTerminal::Leaf(_) => 64,
        PathProofTerminal::Terminator(_) => 32,
    };
    proof.siblings.len() as u32 * 32 + end
}

fn main() -> ExitCode {
    run(&Adapter)
}
