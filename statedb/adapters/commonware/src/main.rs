//! The QMDB of commonware-storage behind getio's protocol: an append-only log of operations with
//! an index of all keys in memory. The store's types fix the size of values, or let it vary, so
//! each form is a configuration.

mod log;
mod session;

use std::process::ExitCode;

use getio_adapter::{
    Cache, Configuration, Engine, Error, Hello, Mode, Open, Opened, Options, Proofs, Result, Store,
    allocate_in_one_arena, run,
};
use session::Session;

/// The largest variable-size value, in bytes. The store's decoder wants a limit.
const MAX_VALUE: u32 = 1 << 16;

struct Adapter;

/// The forms of the store: the size of its values in bytes, or 0 if it varies.
const FORMS: [(&str, u32); 3] = [("variable", 0), ("fixed", 110), ("fixed32", 32)];

impl Engine for Adapter {
    fn hello(&self) -> Hello {
        let configuration = |(name, size): (&str, u32)| Configuration {
            name: name.into(),
            about: "append-only log with an index of all keys in memory, and proofs of the current state".into(),
            min_key: 32,
            max_key: 32,
            value_sizes: if size > 0 { vec![size] } else { vec![] },
            min_value: size,
            max_value: if size > 0 { size } else { MAX_VALUE },
            proofs: Proofs::All,
            ordered: true,
            // An entry of the index: eight bytes of the key, a location and the tree's pointers.
            memory_per_key: 40.0,
            // One page. A cold lookup never asks for a page twice, so dropping it changes nothing,
            // and would mean reading the whole log again to rebuild the index.
            caches: vec![Cache { name: "page cache".into(), least: log::PAGE_BYTES, stays: true }],
            ..Configuration::default()
        };
        Hello {
            engine: "commonware-qmdb".into(),
            engine_version: "2026.10.0".into(),
            patches: vec![],
            configurations: FORMS.map(configuration).to_vec(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Box<dyn Store>, Opened)> {
        let defaults = [
            ("page_cache_pages", (open.cache_bytes / log::PAGE_BYTES).max(1)),
            ("items_per_blob", 1_000_000),
            ("threads", 2),
            // An empty store has nothing to index.
            ("init_cache_entries", if open.mode == Mode::Create { 0 } else { open.keys + open.keys / 4 }),
        ];
        let options = Options::new(&defaults, &open.options)?;
        let refused = |name: &&str| *name != "init_cache_entries" && options.get(name) == 0;
        if let Some(name) = defaults.map(|(name, _)| name).into_iter().find(refused) {
            return Err(format!("{name} has to be at least 1").into());
        }
        open.expect_store(log::SIGN)?;
        if open.mode == Mode::Create {
            std::fs::create_dir_all(&open.dir)?;
        }
        let (session, root) = match open.configuration.as_str() {
            "variable" => Session::start(log::open_variable, &open.dir, &options),
            "fixed" => Session::start(log::open_fixed::<110>, &open.dir, &options),
            "fixed32" => Session::start(log::open_fixed::<32>, &open.dir, &options),
            other => Err(Error::from(format!("there is no configuration {other}"))),
        }?;
        Ok((Box::new(session), Opened { root, options: options.shown() }))
    }
}

fn main() -> ExitCode {
    allocate_in_one_arena();
    run(&Adapter)
}
