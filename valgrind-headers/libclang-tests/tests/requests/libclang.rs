//! Reads the requests of C headers with bindgen, which asks libclang.

use std::path::Path;

use crate::preprocessor::compiler;
use crate::table::Requests;

/// All requests of these headers. The error is the reason why libclang can't be asked.
pub(crate) fn requests(headers: &[&str], include: Option<&Path>) -> Result<Requests, String> {
    clang_sys::load()?;
    let mut all = Requests::new();
    for header in headers {
        let mut builder = bindgen::builder()
            .header_contents("requests.h", &format!("#include <valgrind/{header}>\n"))
            // The types as well as the enumerators, or bindgen leaves out the anonymous ones
            .allowlist_item(".*(VG_USERREQ|ClientRequest).*")
            .default_enum_style(bindgen::EnumVariation::Consts)
            .prepend_enum_name(false)
            .formatter(bindgen::Formatter::None)
            .clang_args(compiler_headers());
        if let Some(include) = include {
            builder = builder.clang_arg(format!("-I{}", include.display()));
        }
        let text = builder.generate().map_err(|error| format!("{header}: {error}"))?.to_string();
        for (name, number) in constants(&text) {
            let core = ("valgrind.h".to_owned(), name.clone());
            if !all.contains_key(&core) {
                all.insert(((*header).to_owned(), name), number);
            }
        }
    }
    Ok(all)
}

/// The option for the directory of the C compiler's `stdarg.h`, in case that libclang came without one
fn compiler_headers() -> Option<String> {
    let output = compiler().arg("-print-file-name=include").output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?;
    Some(format!("-idirafter{}", directory.trim()))
}

/// The requests among the constants of Rust code as bindgen writes it
fn constants(text: &str) -> Vec<(String, usize)> {
    let constant = |item: &str| {
        let (name, value) = item.split_once('=')?;
        let name = name.split(':').next()?.trim();
        let number = value.split(';').next()?.trim().parse().ok()?;
        name.contains("VG_USERREQ__").then(|| (name.to_owned(), number))
    };
    text.split("pub const ").skip(1).filter_map(constant).collect()
}
