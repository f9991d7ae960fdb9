//! Expands a benchmark function that returns the command to measure.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Signature};

use crate::amount::{size, throughput};
use crate::benchmark::Benchmark;
use crate::hooks::{Hooks, untyped_closure};
use crate::level::{limited_config, statement};
use crate::literals::Literals;
use crate::marker::Marker;
use crate::run::{Run, apply, arguments, helper, typed_arguments};
use crate::subject::Subject;
use crate::tokens::{Texts, option, table};

/// Expands to the user's function and to the data that describes the benchmark.
pub(crate) fn expand(benchmark: &Benchmark) -> TokenStream {
    let function = &benchmark.function;
    let data = data(benchmark);
    quote!(#function #data)
}

fn data(benchmark: &Benchmark) -> TokenStream {
    let library = &benchmark.library;
    let Signature { ident: name, inputs, generics, .. } = &benchmark.function.sig;
    let marker = Marker::new(&benchmark.function);
    let registration = marker.registration(library, benchmark.subject);
    let Marker { name: marker, text: name_text, conditions, declaration } = marker;
    let (mut texts, literals) = (Texts::default(), Literals::default());
    let name_text = texts.add(&name_text);
    let number = inputs.len();
    let typed_arguments = typed_arguments(name, number);
    let hooks = Hooks::default();
    let cases = benchmark.cases.iter().enumerate().map(|(index, case)| {
        let constants = case.constants.arguments(generics);
        let callee = quote_spanned!(Span::mixed_site()=> #name #constants);
        self::case(
            &Run {
                library,
                case,
                hooks: &hooks,
                function: name,
                callee: &callee,
                number,
                index,
                literals: &literals,
            },
            &mut texts,
        )
    });
    let cases = table(library, "BinaryCase", &cases.collect::<Vec<_>>());
    let (texts, literals) = (texts.declare(library), literals.declare(library));
    let config = limited_config(
        library,
        benchmark.config.as_ref(),
        &benchmark.limits,
        benchmark.subject,
        None,
    );

    quote_spanned! {Span::mixed_site()=>
        #declaration

        #conditions
        impl #library::BinaryBenchmarkFunction for #marker {
            const FUNCTION: #library::BinaryFunction = {
                #texts
                #literals
                #typed_arguments

                #library::BinaryFunction {
                    name: #name_text,
                    owner: ::core::any::type_name::<#marker>,
                    config: #config,
                    cases: #cases,
                }
            };
        }

        #registration
    }
}

fn case(run: &Run<'_>, texts: &mut Texts) -> TokenStream {
    let (library, case) = (run.library, run.case);
    let id = option(case.id.as_ref().map(|id| texts.add(id)));
    let config = limited_config(
        library,
        case.config.as_deref(),
        &case.limits,
        Subject::Binary,
        Some(run.index),
    );
    let (throughput, size) = (throughput(run), size(run));
    let curve = option(case.curve.as_ref().map(|curve| texts.add(curve)));
    let (constants, items, command) = (run.constants(), run.items(), command(run));
    let expand = |hook: Option<&Expr>| option(hook.map(|hook| self::hook(run, hook)));
    let setup = expand(case.hooks.setup.as_deref());
    let teardown = expand(case.hooks.teardown.as_deref());
    quote_spanned! {Span::mixed_site()=> {
        #constants
        #library::BinaryCase {
            id: #id,
            config: #config,
            throughput: #throughput,
            size: #size,
            curve: #curve,
            items: #items,
            command: #command,
            setup: #setup,
            teardown: #teardown,
        }
    }}
}

/// Expands to a closure that calls the user's function.
fn command(run: &Run<'_>) -> TokenStream {
    let function = run.function_pointer();
    let arguments = arguments(run.number, Span::mixed_site());
    let (index, input) = run.input();
    let body =
        run.with_arguments(&input, &quote_spanned!(Span::mixed_site()=> function(#(#arguments),*)));
    quote_spanned!(Span::mixed_site()=> |#index| { #function #body })
}

/// Expands to a closure that runs a setup or a teardown. A function takes the case's inputs, which are
/// evaluated before the directory changes. Any other expression is evaluated after that.
fn hook(run: &Run<'_>, hook: &Expr) -> TokenStream {
    let takes_inputs = match hook {
        Expr::Path(_) => run.number > 0,
        Expr::Closure(closure) => !closure.inputs.is_empty(),
        _ => false,
    };
    if !takes_inputs {
        let statement = statement(hook);
        return quote_spanned!(Span::mixed_site()=> |_, enter| { enter(); #statement });
    }
    let helper = untyped_closure(hook).map(|closure| helper(closure.inputs.len()));
    let function = run.function_pointer();
    let arguments = arguments(run.number, Span::mixed_site());
    let call = apply(hook, &quote_spanned!(Span::mixed_site()=> #(#arguments),*));
    let (index, input) = run.input();
    let span = Span::mixed_site().located_at(hook.span());
    let body = run.with_arguments(&input, &quote_spanned!(span=> { enter(); #call; }));
    quote_spanned! {Span::mixed_site()=>
        |#index, enter| {
            #helper
            #function
            #body
        }
    }
}
