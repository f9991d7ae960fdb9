//! `binary_benchmark_group!`: a group of benchmark functions, or a closure that fills the group.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit, LitStr, Pat};

use crate::errors::{Errors, error};
use crate::group::{Group, GroupMacro, listed};
use crate::level::{Level, hooks, statement};
use crate::library::{measured_alignment, measured_attributes};
use crate::library_path::LibraryPath;
use crate::message;
use crate::parameters::{Parameter, Parameters, Syntax};
use crate::subject::Subject;
use crate::tokens::{display, option, text};

pub(crate) const MACRO: GroupMacro = GroupMacro {
    syntax: Syntax {
        name: "`binary_benchmark_group!`",
        keys: &[
            "name",
            "benchmarks",
            "benchmark",
            "compare_by_id",
            "max_parallel",
            "config",
            "setup",
            "teardown",
            "before",
            "after",
            "bench",
            "crate",
        ],
    },
    example: "binary_benchmark_group!(name = some_group; benchmarks = some_function)",
    subject: Subject::Binary,
    take,
};

fn take(
    name: &Ident,
    library: &LibraryPath,
    parameters: &mut Parameters,
    errors: &mut Errors,
) -> Group {
    if let Some(filling) = parameters.take("benchmark") {
        let filling = errors.check(Filling::take(library, &filling));
        return group_of_runs(name, library, filling.as_ref(), parameters, errors);
    }
    for (key, instead) in [("before", "setup"), ("after", "teardown")] {
        if let Some(parameter) = parameters.take(key) {
            errors.push(error(parameter.key(), message::only_with_benchmark(&key, instead)));
        }
    }
    let is_compared = parameters.contains("compare_by_id");
    let benchmarks = parameters.require("benchmarks", MACRO.example, errors);
    let (functions, items) = match benchmarks {
        Some(filling) if filling.closure().is_some() => {
            let filling = errors.check(Filling::take(library, &filling));
            let functions =
                filling.map(|filling| filling.expand(&hooks(library, None, None), false, &[]));
            (functions.unwrap_or_else(|| listed(library, &[], Subject::Binary)), names(library))
        }
        benchmarks => {
            let functions =
                benchmarks.and_then(|list| errors.check(list.into_functions(is_compared)));
            (listed(library, &functions.unwrap_or_default(), Subject::Binary), TokenStream::new())
        }
    };
    let level = Level::take(library, parameters, errors);
    Group { config: level.config(Subject::Binary), hooks: level.hooks(), functions, items }
}

/// Takes the parameters of a group with `benchmark`, in which `setup` and `teardown` belong to each
/// command, and `before` and `after` to the group.
fn group_of_runs(
    name: &Ident,
    library: &LibraryPath,
    filling: Option<&Filling<'_>>,
    parameters: &mut Parameters,
    errors: &mut Errors,
) -> Group {
    let kinds =
        [("before", "Before"), ("setup", "Setup"), ("teardown", "Teardown"), ("after", "After")];
    let mut measured = Vec::new();
    let hook = |(key, kind)| {
        let parameter = parameters.take(key)?;
        let is_measured = parameter.is_measured();
        let hook = errors.check(parameter.into_expression())?;
        if is_measured {
            measured.push(MeasuredHook::new(library, name, kind, &hook));
        }
        Some(hook)
    };
    let [before, setup, teardown, after] = kinds.map(hook);
    let command_hooks = hooks(library, setup.as_ref(), teardown.as_ref());
    let config = Level::take(library, parameters, errors).config(Subject::Binary);
    let hooks = hooks(library, before.as_ref(), after.as_ref());
    let functions = filling.map_or_else(
        || listed(library, &[], Subject::Binary),
        |filling| filling.expand(&command_hooks, true, &measured),
    );
    let mut items = names(library);
    items.extend(measured.into_iter().map(|hook| hook.declaration));
    Group { config, hooks, functions, items }
}

/// Imports the type of the closure's parameter. A glob import gives way to an import of the user.
fn names(library: &LibraryPath) -> TokenStream {
    quote_spanned! {Span::call_site()=>
        #[allow(unused_imports)]
        use #library::names::*;
    }
}

/// Closure that fills a group: `|"program", group: &mut BinaryBenchmarkGroup| ..`
struct Filling<'a> {
    library: &'a LibraryPath,
    program: Option<&'a LitStr>,
    group: &'a Pat,
    body: &'a Expr,
}

impl<'a> Filling<'a> {
    fn take(library: &'a LibraryPath, parameter: &'a Parameter) -> syn::Result<Self> {
        let expected = || error(parameter.key(), message::closure_value(parameter.key()));
        let closure = parameter.closure().ok_or_else(expected)?;
        let (program, group) = match &*closure.inputs.iter().collect::<Vec<_>>() {
            [group] => (None, *group),
            [Pat::Lit(ExprLit { lit: Lit::Str(program), .. }), group] => (Some(program), *group),
            _ => return Err(expected()),
        };
        Ok(Self { library, program, group, body: &closure.body })
    }

    /// Expands the closure. Its return value, such as the group, is dropped.
    fn expand(
        &self,
        command_hooks: &TokenStream,
        hooks_in_sandbox: bool,
        measured: &[MeasuredHook],
    ) -> TokenStream {
        let Self { library, group, body, .. } = self;
        let program = option(self.program.map(program));
        // No warning about an unused group that is still empty
        let used = self.name().map(|name| quote_spanned!(Span::mixed_site()=> let _ = &#name;));
        let measured = measured.iter().map(|hook| &hook.data);
        quote_spanned! {Span::mixed_site()=>
            #library::Functions::Filled(#library::Filled {
                program: #program,
                fill: |#group| { #used let _ = #body; },
                command_hooks: #command_hooks,
                hooks_in_sandbox: #hooks_in_sandbox,
                measured_hooks: &[#(#measured),*],
            })
        }
    }

    /// Returns the name that the group has in the closure.
    fn name(&self) -> Option<&Ident> {
        let pattern = match self.group {
            Pat::Type(typed) => &typed.pat,
            other => other,
        };
        match pattern {
            Pat::Ident(group) => Some(&group.ident),
            _ => None,
        }
    }
}

/// Expands to the path of the package's binary with this name, or else to the name.
fn program(name: &LitStr) -> TokenStream {
    let variable = LitStr::new(&format!("CARGO_BIN_EXE_{}", name.value()), name.span());
    quote_spanned! {Span::mixed_site()=>
        match ::core::option_env!(#variable) {
            ::core::option::Option::Some(path) => path,
            ::core::option::Option::None => #name,
        }
    }
}

/// Hook that is a benchmark itself.
struct MeasuredHook {
    declaration: TokenStream,
    data: TokenStream,
}

impl MeasuredHook {
    fn new(library: &LibraryPath, group: &Ident, kind: &str, hook: &Expr) -> Self {
        let kind = Ident::new(kind, Span::mixed_site());
        let span = Span::mixed_site().located_at(group.span());
        let marker = format_ident!("__iai_callgrind_{}_{}", group.unraw(), kind, span = span);
        let last = match hook {
            Expr::Path(path) => path.path.segments.last(),
            _ => None,
        };
        let name = last.map_or_else(|| display(hook), |segment| segment.ident.unraw().to_string());
        let (attributes, alignment) =
            (measured_attributes(&marker.to_string()), measured_alignment());
        let statement = statement(hook);
        let declaration = quote_spanned! {Span::mixed_site()=>
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            struct #marker {}

            impl #marker {
                #attributes
                fn measured() {
                    #alignment
                    #statement
                }
            }
        };
        let [measured, name] = ["measured", &name].map(|name| text(library, &name));
        let data = quote_spanned! {Span::mixed_site()=> (
            #library::HookKind::#kind,
            #library::LibraryFunction {
                name: #measured,
                title: #measured,
                owner: ::core::any::type_name::<#marker>,
                config: ::core::option::Option::None,
                cases: #library::table!([#library::LibraryCase; 1], [#library::LibraryCase {
                    id: ::core::option::Option::Some(#name),
                    arguments: "",
                    config: ::core::option::Option::None,
                    throughput: #library::CaseThroughput::None,
                    size: ::core::option::Option::None,
                    curve: ::core::option::Option::None,
                    items: #library::Items::One,
                    run: |region, _| {
                        let function: fn() = ::core::hint::black_box(<#marker>::measured);
                        region.measure_call(function, ());
                    },
                }]),
            },
        )};
        Self { declaration, data }
    }
}
