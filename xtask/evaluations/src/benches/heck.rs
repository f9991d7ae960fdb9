//! Benchmarks of https://github.com/withoutboats/heck up to 252c1906cefefb8d13ecad7fce7b8f27ce6437e0

use heck::{ToKebabCase, ToLowerCamelCase, ToShoutySnakeCase, ToSnakeCase, ToTitleCase};
use iai_callgrind::prelude::*;

const TEXT: &str = "We carry aNewWorld here, in_our XMLHearts \u{3a7}\u{391}\u{39f}\u{3a3}";

#[library_benchmark]
#[bench::text(TEXT)]
fn snake(text: &str) -> String {
    text.to_snake_case()
}

#[library_benchmark]
#[bench::text(TEXT)]
fn kebab(text: &str) -> String {
    text.to_kebab_case()
}

#[library_benchmark]
#[bench::text(TEXT)]
fn shouty(text: &str) -> String {
    text.to_shouty_snake_case()
}

#[library_benchmark]
#[bench::text(TEXT)]
fn title(text: &str) -> String {
    text.to_title_case()
}

#[library_benchmark]
#[bench::text(TEXT)]
fn camel(text: &str) -> String {
    text.to_lower_camel_case()
}

main!();
