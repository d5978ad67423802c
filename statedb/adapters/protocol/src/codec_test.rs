use super::*;

/// Frames that getio's own tests use too.
fn golden(name: &str) -> Vec<u8> {
    // Asked for when it runs: clones share their builds.
    let crate_dir = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let text = std::fs::read_to_string(crate_dir + "/../../adapter/testdata/frames.txt").unwrap();
    let digits = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).expect(name);
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// Requires that the golden request decodes to this one, and that it is refused if it is cut
/// short or has bytes after its end.
fn requires_request(name: &str, want: Request<'_>) {
    let frame = golden(name);
    assert_eq!(u32::from_le_bytes(frame[..4].try_into().unwrap()) as usize, frame.len() - 4, "{name}");
    assert_eq!(Request::decode(frame[4], &frame[5..]).unwrap(), want, "{name}");
    let longer = [&frame[5..], &[0]].concat();
    assert!(Request::decode(frame[4], &longer).is_err(), "{name} with something behind it");
    for end in 5..frame.len() {
        assert!(Request::decode(frame[4], &frame[5..end]).is_err(), "{name} cut to {end} bytes");
    }
}

#[test]
fn golden_requests() {
    requires_request("hello", Request::Hello { version: 1 });
    let open = Open {
        dir: "/a/dir".into(),
        configuration: "pages".into(),
        mode: Mode::Read,
        keys: 1 << 40,
        cache_bytes: 5_000_000,
        options: vec!["workers=2".into()],
    };
    requires_request("open", Request::Open(open));
    requires_request("load", Request::Load(vec![(b"key", b"value"), (&[0], b"")]));
    requires_request("commit", Request::Commit);
    requires_request("get", Request::Get { proofs: true, keys: vec![b"key", b"absent"] });
    requires_request("check", Request::Check { root: &[1, 2, 3], claims: vec![Some(b"value"), None] });
    requires_request("stats", Request::Stats);
    requires_request("drop caches", Request::DropCaches);
    requires_request("quiesce", Request::Quiesce);
    requires_request("close", Request::Close);
}

fn requires_answer(name: &str, reply: Reply) {
    let mut payload = Vec::new();
    reply.append(&mut payload);
    assert_eq!(payload, golden(name)[5..], "{name}");
}

#[test]
fn golden_answers() {
    let hello = Hello {
        engine: "store".into(),
        engine_version: "1.2.3".into(),
        patches: vec!["no direct I/O".into(), "ünïcode".into()],
        configurations: vec![
            Configuration {
                name: "memory".into(),
                about: "index in memory".into(),
                min_key: 1,
                max_key: 255,
                max_value: 1 << 20,
                key_hash: "sha256".into(),
                ordered: true,
                memory_per_key: 12.5,
                ..Configuration::default()
            },
            Configuration {
                name: "pages".into(),
                min_key: 32,
                max_key: 32,
                value_sizes: vec![32, 72],
                min_value: 32,
                max_value: 72,
                proofs: Proofs::All,
                caches: vec![
                    Cache { name: "pages".into(), least: 1 << 20, stays: false },
                    Cache { name: "roots".into(), least: 4096, stays: true },
                ],
                ..Configuration::default()
            },
        ],
    };
    requires_answer("hello answer", Reply::Hello(hello));
    let options = vec![("workers".into(), "2".into()), ("empty".into(), "".into())];
    requires_answer("open answer", Reply::Opened(Opened { root: vec![0xaa, 0xbb], options }));
    requires_answer("commit answer", Reply::Root(vec![1, 2, 3]));
    let answers = vec![Answer { value: Some(b"value".to_vec()), proof: 460 }, Answer { value: None, proof: 33 }];
    requires_answer("get answer", Reply::Got { nanoseconds: 1234567, answers });
    requires_answer("check answer", Reply::Checked(vec![true, false]));
    let stats = vec![Stat { name: "reads", unit: "count", value: 3.0 }, Stat { name: "share", unit: "", value: 0.25 }];
    requires_answer("stats answer", Reply::Stats(stats));
    for name in ["load answer", "drop caches answer", "quiesce answer", "close answer"] {
        requires_answer(name, Reply::Done);
    }
}

#[test]
fn claims_of_length_cost_no_memory() {
    for kind in 1..=10 {
        let payload = [0xff; 64];
        if !matches!(kind, 4 | 7 | 8 | 9 | 10) {
            assert!(Request::decode(kind, &payload).is_err(), "kind {kind}");
        }
    }
    assert!(Request::decode(3, &[0xff, 0xff, 0xff, 0x7f]).is_err());
    assert_eq!(Request::decode(99, &[]).unwrap_err().to_string(), "a frame of kind 0x63");
}
