//! firewood behind getio's protocol, with the node hashes of MerkleDB. Keys and values are
//! stored as they are, in one trie that lookups descend.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

use firewood::api::{Db as _, DbView, FrozenProof, HashKey, Proposal as _};
use firewood::db::{BatchOp, Db, DbConfig};
use firewood::manager::{CacheReadStrategy, RevisionManagerConfig};
use firewood_storage::{NodeHashAlgorithm, ValueDigest};
use getio_adapter::{
    Answer, Cache, Claim, Configuration, Engine, Error, Hello, Open, Opened, Options, Proofs, Record, Result, Stat,
    Store, run,
};

const MIB: u64 = 1 << 20;
const FILE: &str = "firewood.db";

struct Adapter;

impl Engine for Adapter {
    fn hello(&self) -> Hello {
        let cache = |name: &str, least| Cache { name: name.into(), least, stays: false };
        Hello {
            engine: "firewood".into(),
            engine_version: "0.3.1".into(),
            patches: vec![],
            configurations: vec![Configuration {
                name: "merkledb".into(),
                about: "trie of 16 branches, hashed as MerkleDB does (SHA-256)".into(),
                min_key: 1,
                max_key: 4096,
                max_value: 16 << 20,
                proofs: Proofs::All,
                ordered: true,
                caches: vec![cache("node cache", MIB), cache("free lists", 0)],
                ..Configuration::default()
            }],
        }
    }

    fn open(&self, open: &Open) -> Result<(Box<dyn Store>, Opened)> {
        let defaults = [
            ("node_cache_bytes", open.cache_bytes.max(MIB)),
            ("free_list_entries", 1_000_000),
            // With fewer, the thread that writes may still use the oldest one when it is due. It is
            // then freed one commit later, and where nodes lie depends on how fast the machine is.
            ("revisions", 4),
            // 0: cache only nodes that are written, firewood's default; 1: also branches
            // that are read; 2: everything that is read
            ("cache_reads", 0),
        ];
        let options = Options::new(&defaults, &open.options)?;
        open.expect_store(FILE)?;
        let db = open_db(&open.dir, &options)?;
        let opened = Opened { root: root(&db), options: options.shown() };
        let store = State { dir: open.dir.clone(), options, db: Some(db), loaded: vec![], proofs: vec![] };
        Ok((Box::new(store), opened))
    }
}

fn open_db(dir: &str, options: &Options) -> Result<Db> {
    let positive = |name| {
        NonZeroUsize::new(options.get(name) as usize).ok_or_else(|| Error::from(format!("{name} has to be at least 1")))
    };
    let strategies = [CacheReadStrategy::WritesOnly, CacheReadStrategy::BranchReads, CacheReadStrategy::All];
    let strategy = strategies.into_iter().nth(options.get("cache_reads") as usize).ok_or("cache_reads is 0, 1 or 2")?;
    let manager = RevisionManagerConfig::builder()
        .node_cache_memory_limit(positive("node_cache_bytes")?)
        .free_list_cache_size(positive("free_list_entries")?)
        .max_revisions(options.get("revisions") as usize)
        .cache_read_strategy(strategy)
        .build();
    let config = DbConfig::builder().node_hash_algorithm(NodeHashAlgorithm::MerkleDB).manager(manager).build();
    Db::new(dir, config).map_err(Error::from)
}

fn root(db: &Db) -> Vec<u8> {
    db.root_hash().map_or(vec![], |hash| hash.as_ref().to_vec())
}

struct State {
    dir: String,
    options: Options,
    db: Option<Db>, // none only if reopening failed
    loaded: Vec<BatchOp<Vec<u8>, Vec<u8>>>,
    proofs: Vec<(Vec<u8>, Option<FrozenProof>)>,
}

impl State {
    fn db(&self) -> Result<&Db> {
        self.db.as_ref().ok_or_else(|| Error::from("the store could not be opened again"))
    }

    /// Firewood writes commits in the background, and all of them when it is closed. When
    /// they reach the disk is up to the system.
    fn persist(&mut self) -> Result<()> {
        if let Some(db) = self.db.take() {
            db.close()?;
        }
        Ok(std::fs::File::open(Path::new(&self.dir).join(FILE))?.sync_all()?)
    }
}

impl Store for State {
    fn load(&mut self, records: &[Record<'_>]) -> Result<()> {
        self.loaded
            .extend(records.iter().map(|(key, value)| BatchOp::Put { key: key.to_vec(), value: value.to_vec() }));
        Ok(())
    }

    fn commit(&mut self) -> Result<Vec<u8>> {
        let loaded = std::mem::take(&mut self.loaded);
        let db = self.db()?;
        db.propose(loaded)?.commit()?;
        Ok(root(db))
    }

    fn get(&mut self, keys: &[&[u8]], proofs: bool) -> Result<Vec<Answer>> {
        let db = self.db()?;
        let Some(hash) = db.root_hash() else {
            self.proofs = keys.iter().map(|key| (key.to_vec(), None)).collect();
            return Ok(vec![Answer::default(); keys.len()]);
        };
        let revision = db.revision(hash)?;
        let mut kept = Vec::new();
        let mut answers = Vec::with_capacity(keys.len());
        for key in keys {
            let mut answer = Answer { value: revision.val(key)?.map(Vec::from), proof: 0 };
            if proofs {
                let proof = revision.single_key_proof(key)?;
                answer.proof = size(&proof);
                kept.push((key.to_vec(), Some(proof)));
            }
            answers.push(answer);
        }
        self.proofs = kept;
        Ok(answers)
    }

    fn check(&mut self, root: &[u8], claims: &[Claim<'_>]) -> Result<Vec<bool>> {
        // An empty trie has no root and nothing to prove.
        let root: Option<HashKey> = if root.is_empty() { None } else { Some(root.try_into()?) };
        let proves = |(key, proof): &(Vec<u8>, Option<FrozenProof>), claim: &Claim<'_>| match (proof, &root) {
            (Some(proof), Some(root)) => proof.verify(key, *claim, root).is_ok(),
            (None, None) => claim.is_none(),
            _ => false,
        };
        Ok(self.proofs.iter().zip(claims).map(|(proof, claim)| proves(proof, claim)).collect())
    }

    fn stats(&mut self) -> Result<Vec<Stat>> {
        let bytes = std::fs::metadata(Path::new(&self.dir).join(FILE))?.len();
        Ok(vec![Stat { name: "file", unit: "bytes", value: bytes as f64 }])
    }

    fn drop_caches(&mut self) -> Result<()> {
        self.quiesce()
    }

    fn quiesce(&mut self) -> Result<()> {
        self.persist()?;
        self.db = Some(open_db(&self.dir, &self.options)?);
        Ok(())
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.persist()
    }
}

/// Each node on the path: its key, its value, and the hashes of its children.
fn size(proof: &FrozenProof) -> u32 {
    let node = |n: &firewood::ProofNode| {
        n.key.len().div_ceil(2)
            + n.value_digest.as_ref().map_or(0, |v| match v {
                ValueDigest::Value(value) => value.len(),
                ValueDigest::Hash(_) => 32,
            })
            + 32 * n.child_hashes.count()
    };
    proof.iter().map(node).sum::<usize>() as u32
}

fn main() -> ExitCode {
    run(&Adapter)
}
