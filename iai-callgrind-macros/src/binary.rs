//! Expands a benchmark function that returns the command to measure.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use crate::benchmark::Benchmark;
use crate::data;
use crate::hooks::untyped_closure;
use crate::level::statement;
use crate::marker::Marker;
use crate::run::{Run, apply, arguments, helper};
use crate::tokens::option;

/// Expands to the user's function and to the data that describes the benchmark.
pub(crate) fn expand(benchmark: &Benchmark) -> TokenStream {
    let function = &benchmark.function;
    let data = data(benchmark);
    quote!(#function #data)
}

fn data(benchmark: &Benchmark) -> TokenStream {
    let library = &benchmark.library;
    let marker = Marker::new(&benchmark.function);
    let registration = marker.registration(library, benchmark.subject);
    let Marker { name, conditions, declaration, .. } = &marker;
    let constant = data::constant(benchmark, &marker, &benchmark.function.sig.ident, calls);
    quote_spanned! {Span::mixed_site()=>
        #declaration

        #conditions
        impl #library::BinaryBenchmarkFunction for #name {
            #constant
        }

        #registration
    }
}

/// Expands the command of a case, and its hooks.
fn calls(run: &Run<'_>) -> TokenStream {
    let command = command(run);
    let expand = |hook: Option<&Expr>| option(hook.map(|hook| self::hook(run, hook)));
    let setup = expand(run.case.hooks.setup.as_deref());
    let teardown = expand(run.case.hooks.teardown.as_deref());
    quote_spanned!(Span::mixed_site()=> command: #command, setup: #setup, teardown: #teardown,)
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
