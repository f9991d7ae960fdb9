//! Arguments of cargo for another revision.

use std::fs;

use super::*;

fn call(arguments: &[&str]) -> CargoCall {
    let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
    let call = CargoCall::new(Path::new("/top/member"), &arguments);
    CargoCall { environment: Vec::new(), ..call }
}

fn packages() -> Packages {
    let json = r#"{"packages": [{"name": "one", "manifest_path": "/tree/one/Cargo.toml", "targets": [
        {"name": "one", "kind": ["lib"]}, {"name": "my-bench", "kind": ["bench"]}]}]}"#;
    serde_json::from_str(json).unwrap()
}

#[test]
fn names_that_the_other_revision_lacks_are_left_out() {
    let selection = |arguments: &[&str]| {
        let packages = packages();
        let call = call(arguments);
        let words = call.selection(&packages);
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    };
    let given = "bench --bench my-bench --bench=new -p one --package=two --features a";
    let given: Vec<_> = given.split(' ').collect();
    assert_eq!(selection(&given), "bench --bench my-bench -p one --features a");
    let given = "bench --no-run --target-dir x --message-format=short -q --bench *";
    let given: Vec<_> = given.split(' ').collect();
    assert_eq!(selection(&given), "bench --bench *");
    assert_eq!(selection(&["bench", "--target-dir"]), "bench");
    // Other values than names are cargo's
    let given = "bench -pone -ptwo -vp two -p one@0.1.0 --package=t* -Fx --features";
    let mut given: Vec<_> = given.split(' ').collect();
    given.push("");
    let kept = "bench -pone -v -p one@0.1.0 --package=t* -Fx --features ";
    assert_eq!(selection(&given), kept);
}

#[test]
fn a_benchmark_file_has_the_name_of_its_crate() {
    let file = |package, name| BenchmarkFile { package, name };
    let packages = packages();
    let manifest = packages.manifest_of(&file("one", "my_bench"));
    assert_eq!(manifest, Some(Path::new("/tree/one/Cargo.toml")));
    assert!(packages.manifest_of(&file("one", "one")).is_none());
    assert!(packages.manifest_of(&file("two", "my_bench")).is_none());
}

#[test]
fn the_manifest_is_that_of_the_other_work_tree() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    fs::write(top.join("Cargo.toml"), "").unwrap();
    fs::create_dir(top.join("member")).unwrap();
    for form in [&["--manifest-path", "../Cargo.toml"][..], &["--manifest-path=../Cargo.toml"]] {
        let call = CargoCall { directory: top.join("member"), ..call(form) };
        assert_eq!(call.manifest(&top, Path::new("/tree")), Some("/tree/Cargo.toml".into()));
    }
    assert_eq!(call(&[]).manifest(&top, Path::new("/tree")), None);
}

#[test]
fn the_target_directory_is_the_one_that_the_call_names_or_that_cargo_knows() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    for (path, content) in [
        ("Cargo.toml", "[package]\nname = 'a'\nversion = '0.1.0'\n"),
        ("src/lib.rs", ""),
        (".cargo/config.toml", "build.target-dir = 'configured'\n"),
    ] {
        fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
        fs::write(top.join(path), content).unwrap();
    }
    let mut configured = CargoCall::new(&top, &["bench".into()]);
    configured.environment.retain(|(name, _)| !name.to_string_lossy().ends_with("TARGET_DIR"));
    assert_eq!(configured.target_directory().unwrap(), top.join("configured"));
    let target = |arguments: &[&str]| {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        let mut call = CargoCall::new(&top, &arguments);
        call.environment.retain(|(name, _)| !name.to_string_lossy().ends_with("TARGET_DIR"));
        call.target_directory().unwrap()
    };
    assert_eq!(target(&["bench", "--target-dir=../other"]), top.join("../other"));
    assert_eq!(target(&["bench", "--target-dir", "/other"]), Path::new("/other"));
    assert_eq!(target(&["--config=build.target-dir='by-hand'", "bench"]), top.join("by-hand"));
}
