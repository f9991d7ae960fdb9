//! Functions of the crate heck.

use heck::{ToKebabCase as _, ToSnakeCase as _, ToTitleCase as _, ToUpperCamelCase as _};
use iai_callgrind::library_benchmark;

use crate::inputs::text;

#[library_benchmark(setup = text)]
#[bench::n(60)]
fn snake_case(text: String) -> String {
    text.to_snake_case()
}

#[library_benchmark(setup = text)]
#[bench::n(60)]
fn camel_case(text: String) -> String {
    text.to_upper_camel_case()
}

#[library_benchmark(setup = text)]
#[bench::n(60)]
fn kebab_case(text: String) -> String {
    text.to_kebab_case()
}

#[library_benchmark(setup = text)]
#[bench::n(60)]
fn title_case(text: String) -> String {
    text.to_title_case()
}
