//! `binary_benchmark_group!`: functions under a name, or one that fills the group.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, ExprLit, Lit, LitStr, Pat, Path};

use crate::errors::Errors;
use crate::group::{Group, Macro};
use crate::level::{Level, hooks, statement};
use crate::library::kept_apart;
use crate::parameters::{Parameter, Parameters, Syntax};
use crate::subject::Subject;
use crate::tokens::display;

/// The macro.
pub(crate) const MACRO: Macro = Macro {
    syntax: Syntax {
        name: "`binary_benchmark_group!`",
        keys: &[
            "name",
            "benchmarks",
            "benchmark",
            "compare_by_id",
            "config",
            "setup",
            "teardown",
            "before",
            "after",
            "bench",
        ],
    },
    example: "binary_benchmark_group!(name = some_group; benchmarks = some_function)",
    declares: "DeclaredBinaryGroup",
    take,
};

fn take(name: &Ident, parameters: &mut Parameters, errors: &mut Errors) -> Group {
    if let Some(filling) = parameters.take("benchmark") {
        let closure = errors.check(Closure::take(&filling));
        return filled_each(name, closure.as_ref(), parameters, errors);
    }
    for key in ["before", "after"] {
        if let Some(parameter) = parameters.take(key) {
            errors.push(only_with_benchmark(&parameter));
        }
    }
    let benchmarks = parameters.require("benchmarks", MACRO.example, errors);
    let (functions, others) = match benchmarks {
        Some(filling) if filling.closure().is_some() => {
            let closure = errors.check(Closure::take(&filling));
            let filled = |closure: Closure| closure.filled(&hooks(None, None), false, &[]);
            (closure.map_or_else(|| listed(&[]), filled), Closure::names())
        }
        benchmarks => {
            let paths = benchmarks.and_then(|list| errors.check(list.into_paths()));
            (listed(&paths.unwrap_or_default()), TokenStream::new())
        }
    };
    let level = Level::take(parameters, errors);
    Group { config: level.config(Subject::Binary), hooks: level.hooks(), functions, others }
}

/// The older shape, in which set-up and tear-down belong to each command and have `before` and `after`
/// around them.
fn filled_each(
    name: &Ident,
    closure: Option<&Closure>,
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
            measured.push(MeasuredHook::new(name, kind, &hook));
        }
        Some(hook)
    };
    let [before, setup, teardown, after] = kinds.map(hook);
    let each = hooks(setup.as_ref(), teardown.as_ref());
    let config = Level::take(parameters, errors).config(Subject::Binary);
    let hooks = hooks(before.as_ref(), after.as_ref());
    let functions =
        closure.map_or_else(|| listed(&[]), |closure| closure.filled(&each, true, &measured));
    let mut others = Closure::names();
    others.extend(measured.iter().map(|hook| hook.declaration.clone()));
    Group { config, hooks, functions, others }
}

/// Functions that are named.
fn listed(paths: &[Path]) -> TokenStream {
    let functions = paths.iter().map(function);
    quote_spanned! {Span::mixed_site()=>
        ::iai_callgrind::__internal::Functions::Binary(&[#(#functions),*])
    }
}

fn only_with_benchmark(parameter: &Parameter) -> syn::Error {
    let key = parameter.key();
    let instead = if key == "before" { "setup" } else { "teardown" };
    let message = format!(
        "`{key}` goes with `benchmark = |group: &mut BinaryBenchmarkGroup| ..`: write `{instead}`, which \
         is the same here"
    );
    syn::Error::new(key.span(), message)
}

/// With the path's span, so that it is the path that the compiler shows if it is wrong.
fn function(path: &Path) -> TokenStream {
    let span = Span::mixed_site().located_at(path.span());
    quote_spanned!(span=> <#path as ::iai_callgrind::__internal::BinaryBenchmarkFunction>::FUNCTION)
}

/// `|"program", group: &mut BinaryBenchmarkGroup| ..`
struct Closure {
    program: Option<LitStr>,
    closure: ExprClosure,
}

impl Closure {
    fn take(parameter: &Parameter) -> syn::Result<Self> {
        let expected = || {
            let key = parameter.key();
            let message = format!(
                "`{key}` takes a closure: write `{key} = |group: &mut BinaryBenchmarkGroup| {{ .. }}`, or \
                 `{key} = |\"name\", group: &mut BinaryBenchmarkGroup| {{ .. }}` for runs of one command"
            );
            syn::Error::new(key.span(), message)
        };
        let mut closure = parameter.closure().ok_or_else(expected)?.clone();
        let mut inputs: Vec<_> = closure.inputs.into_iter().collect();
        let program = match &*inputs {
            [_] => None,
            [Pat::Lit(ExprLit { lit: Lit::Str(program), .. }), _] => Some(program.clone()),
            _ => return Err(expected()),
        };
        closure.inputs = inputs.pop().into_iter().collect();
        Ok(Self { program, closure })
    }

    /// The closure as data. What it returns, such as the group, is dropped.
    fn filled(
        &self,
        each: &TokenStream,
        hooks_in_sandbox: bool,
        measured: &[MeasuredHook],
    ) -> TokenStream {
        let program = self.program.as_ref().map_or_else(
            || quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
            program,
        );
        let (input, body) = (&self.closure.inputs, &self.closure.body);
        // A group that is still empty is no mistake
        let used = self.group().map(|group| quote_spanned!(Span::mixed_site()=> let _ = &#group;));
        let measured = measured.iter().map(|hook| &hook.data);
        quote_spanned! {Span::mixed_site()=>
            ::iai_callgrind::__internal::Functions::Filled(::iai_callgrind::__internal::Filled {
                program: #program,
                fill: |#input| { #used let _ = #body; },
                each: #each,
                hooks_in_sandbox: #hooks_in_sandbox,
                measured_hooks: &[#(#measured),*],
            })
        }
    }

    /// The name that the group has in the closure.
    fn group(&self) -> Option<&Ident> {
        let pattern = match self.closure.inputs.first()? {
            Pat::Type(typed) => &typed.pat,
            other => other,
        };
        match pattern {
            Pat::Ident(group) => Some(&group.ident),
            _ => None,
        }
    }

    /// What the closure's type can be written with. By a glob, which gives way to an import of the
    /// user's.
    fn names() -> TokenStream {
        quote_spanned! {Span::call_site()=>
            #[allow(unused_imports)]
            use ::iai_callgrind::__internal::names::*;
        }
    }
}

/// The package's binary with this name, if there is one. Otherwise the name is looked up when it runs.
fn program(name: &LitStr) -> TokenStream {
    let variable = LitStr::new(&format!("CARGO_BIN_EXE_{}", name.value()), name.span());
    quote_spanned! {Span::mixed_site()=>
        ::core::option::Option::Some(match ::core::option_env!(#variable) {
            ::core::option::Option::Some(path) => path,
            ::core::option::Option::None => #name,
        })
    }
}

/// A hook that is a benchmark itself.
struct MeasuredHook {
    declaration: TokenStream,
    data: TokenStream,
}

impl MeasuredHook {
    fn new(group: &Ident, kind: &str, hook: &Expr) -> Self {
        let kind = Ident::new(kind, Span::mixed_site());
        let span = Span::mixed_site().located_at(group.span());
        let marker = format_ident!("__iai_callgrind_{}_{}", group.unraw(), kind, span = span);
        let name = match hook {
            Expr::Path(path) => path.path.segments.last().map(|it| it.ident.unraw().to_string()),
            _ => None,
        };
        let name = name.unwrap_or_else(|| display(hook));
        let (attributes, aligned) = kept_apart(&marker.to_string());
        let statement = statement(hook);
        let declaration = quote_spanned! {Span::mixed_site()=>
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            struct #marker {}

            impl #marker {
                #attributes
                fn measured() {
                    #aligned
                    #statement
                }
            }
        };
        let data = quote_spanned! {Span::mixed_site()=> (
            ::iai_callgrind::__internal::HookKind::#kind,
            ::iai_callgrind::__internal::Function {
                name: "measured",
                owner: ::core::any::type_name::<#marker>,
                config: ::core::option::Option::None,
                cases: &[::iai_callgrind::__internal::Case {
                    id: ::core::option::Option::Some(#name),
                    arguments: "",
                    config: ::core::option::Option::None,
                    items: ::iai_callgrind::__internal::Items::One,
                    run: |region, _| {
                        let function: fn() = ::core::hint::black_box(<#marker>::measured);
                        region.measure(function);
                    },
                }],
            },
        )};
        Self { declaration, data }
    }
}
