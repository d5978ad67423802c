//! What adapters share when they open a store.

use std::path::Path;

use crate::{Mode, Open, Result};

/// The options of an adapter's stores, all whole numbers.
#[derive(Clone, Debug)]
pub struct Options(Vec<(&'static str, u64)>);

impl Options {
    /// Applies NAME=VALUE overrides to the defaults, which list all options.
    pub fn new(defaults: &[(&'static str, u64)], overrides: &[String]) -> Result<Options> {
        let mut options = defaults.to_vec();
        for text in overrides {
            let (name, value) = text.split_once('=').ok_or_else(|| format!("option {text:?} is not NAME=VALUE"))?;
            let known = defaults.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let option = options.iter_mut().find(|(n, _)| *n == name);
            let option = option.ok_or_else(|| format!("option {name:?} is not known: use one of {known}"))?;
            option.1 = value.parse().map_err(|_| format!("option {name}: {value:?} is not a whole number"))?;
        }
        Ok(Options(options))
    }

    /// The value of an option that has a default.
    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|(n, _)| *n == name).expect("the option has a default").1
    }

    /// All options in the form of [`crate::Opened`].
    pub fn shown(&self) -> Vec<(String, String)> {
        self.0.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect()
    }
}

impl Open {
    /// Refuses to create over a store, which is recognised by a file with this name, and to
    /// open where there is none.
    pub fn expect_store(&self, sign: &str) -> Result<()> {
        let dir = Path::new(&self.dir);
        let empty = || std::fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
        match (dir.join(sign).exists(), self.mode) {
            (false, Mode::Create) if empty() => Ok(()),
            (false, Mode::Create) => Err(format!("{} is not empty: choose an empty directory", self.dir).into()),
            (true, Mode::Create) => Err(format!("{} has a store already: choose an empty directory", self.dir).into()),
            (false, _) => Err(format!("{} has no store of this engine", self.dir).into()),
            (true, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: [(&str, u64); 2] = [("cache", 7), ("workers", 3)];

    fn read(overrides: &[&str]) -> std::result::Result<Options, String> {
        let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
        Options::new(&DEFAULTS, &overrides).map_err(|e| e.to_string())
    }

    #[test]
    fn overrides_replace_defaults() {
        let options = read(&["workers=5"]).unwrap();
        assert_eq!((options.get("cache"), options.get("workers")), (7, 5));
        assert_eq!(options.shown()[1], ("workers".to_string(), "5".to_string()));
    }

    #[test]
    fn invalid_overrides_are_refused() {
        assert_eq!(read(&["workers"]).unwrap_err(), "option \"workers\" is not NAME=VALUE");
        assert_eq!(read(&["wrkers=1"]).unwrap_err(), "option \"wrkers\" is not known: use one of cache, workers");
        assert_eq!(read(&["cache=big"]).unwrap_err(), "option cache: \"big\" is not a whole number");
        assert_eq!(read(&["cache=-1"]).unwrap_err(), "option cache: \"-1\" is not a whole number");
    }

    #[test]
    fn stores_are_recognised() {
        let dir = std::env::temp_dir().join(format!("getio-open-{}", std::process::id()));
        let open = |mode| Open {
            dir: dir.to_str().unwrap().into(),
            configuration: String::new(),
            mode,
            keys: 0,
            cache_bytes: 0,
            options: vec![],
        };
        let refusal = |mode| open(mode).expect_store("sign").unwrap_err().to_string();
        assert!(open(Mode::Create).expect_store("sign").is_ok());
        assert!(refusal(Mode::Read).contains("has no store"));
        std::fs::create_dir(&dir).unwrap();
        assert!(open(Mode::Create).expect_store("sign").is_ok());
        std::fs::write(dir.join("other"), "").unwrap();
        assert!(refusal(Mode::Create).contains("is not empty"));
        std::fs::write(dir.join("sign"), "").unwrap();
        assert!(refusal(Mode::Create).contains("has a store already"));
        assert!(open(Mode::Write).expect_store("sign").is_ok());
        assert!(open(Mode::Read).expect_store("sign").is_ok());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
