//! Reads the requests of C headers with bindgen and libclang.

use std::path::Path;

use crate::preprocessor::compiler;
use crate::table::Requests;

/// Returns all requests of these headers, or the reason why libclang is not available.
pub(crate) fn requests(headers: &[&str], include: Option<&Path>) -> Result<Requests, String> {
    clang_sys::load()?;
    let mut all = Requests::new();
    for header in headers {
        let mut builder = bindgen::builder()
            .header_contents("requests.h", &format!("#include <valgrind/{header}>\n"))
            // Without the types, bindgen omits the enumerators of anonymous ones
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

/// Returns the argument for the directory of the C compiler's `stdarg.h`, for a libclang without its own.
fn compiler_headers() -> Option<String> {
    let output = compiler().arg("-print-file-name=include").output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?;
    Some(format!("-idirafter{}", directory.trim()))
}

/// Returns the requests among the constants in bindgen's Rust code.
fn constants(text: &str) -> Vec<(String, usize)> {
    let constant = |item: &str| {
        let (name, value) = item.split_once('=')?;
        let name = name.split(':').next()?.trim();
        let number = value.split(';').next()?.trim().parse().ok()?;
        name.contains("VG_USERREQ__").then(|| (name.to_owned(), number))
    };
    text.split("pub const ").skip(1).filter_map(constant).collect()
}
