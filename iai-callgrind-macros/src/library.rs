//! Expands a benchmark function that is measured itself.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, FnArg, GenericParam, Ident, ItemFn, Signature};

use crate::benchmark::Benchmark;
use crate::body::is_repeated;
use crate::data;
use crate::marker::Marker;
use crate::run::arguments;

/// Expands to the user's function and to the data that describes the benchmark.
pub(crate) fn expand(benchmark: &Benchmark) -> TokenStream {
    let (function, data) = (function(&benchmark.function), data(benchmark));
    quote!(#function #data)
}

/// Expands to the user's function, which is inlined into the measured function if that calls it.
fn function(function: &ItemFn) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #[allow(clippy::inline_always)]
        #[inline(always)]
        #function
    }
}

/// Expands to the measured function: an associated function of the type with the function's name. It has the
/// statements of the user's function, or the user's function is inlined into it. It is never inlined
/// itself, and it has its own section.
///
/// Callgrind toggles the measurement at the symbol, so that a nested call of the measured function would
/// end the measurement. Nothing else can call it: the name of an associated function is not in scope, and
/// a benchmark function that calls itself or another one calls the user's function.
///
/// LLVM merges functions with the same body, also across modules. It does not merge functions of
/// different sections. Linkers put sections with names of `.text.` into `.text`.
fn measured(function: &ItemFn, measured: &Ident) -> TokenStream {
    let Signature { ident: name, generics, inputs, output, .. } = &function.sig;
    let (parameters, _, conditions) = generics.split_for_impl();
    let instance = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    });
    let attributes = measured_attributes(&name.unraw().to_string());
    let alignment = measured_alignment();
    if is_repeated(function) {
        let lints = function.attrs.iter().filter(|attribute| is_lint(attribute));
        let statements = &function.block.stmts;
        let instance: Vec<_> = instance.collect();
        return quote_spanned! {Span::mixed_site()=>
            // Otherwise the user's function could be unused. A parameter of the measured function can have its name
            fn __iai_callgrind_used #parameters () #conditions {
                let _ = #name::<#(#instance),*>;
            }

            #attributes
            #(#lints)*
            fn #measured #parameters (#inputs) #output #conditions {
                #alignment
                let _ = Self::__iai_callgrind_used::<#(#instance),*>;
                #(#statements)*
            }
        };
    }
    let arguments = arguments(inputs.len(), Span::mixed_site());
    let types = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&typed.ty),
        FnArg::Receiver(_) => None,
    });
    quote_spanned! {Span::mixed_site()=>
        #attributes
        fn #measured #parameters (#(#arguments: #types),*) #output #conditions {
            #alignment
            #name::<#(#instance),*>(#(#arguments),*)
        }
    }
}

/// Returns `true` for attributes that set the level of lints.
fn is_lint(attribute: &Attribute) -> bool {
    ["allow", "deny", "expect", "forbid", "warn"]
        .iter()
        .any(|level| attribute.path().is_ident(level))
}

/// Expands to the attributes of a measured function.
///
/// `link_section` is an unsafe attribute. `#![forbid(unsafe_code)]` in the user's crate does not reject
/// it, because it has a span of this crate.
pub(crate) fn measured_attributes(section: &str) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #[inline(never)]
        #[cfg_attr(
            target_os = "linux",
            unsafe(link_section = ::core::concat!(
                ".text.iai_callgrind.", ::core::module_path!(), "::", #section
            ))
        )]
    }
}

/// Expands to the first statement of a measured function, which aligns it to a cache line.
///
/// The section starts at a cache line, and the function is alone in it. So the number of cache lines that
/// the function occupies does not depend on the code that the linker puts before it. The assembly has no
/// instruction, and its padding is in a subsection after the function.
pub(crate) fn measured_alignment() -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        #[allow(clippy::inline_asm_x86_intel_syntax)]
        unsafe {
            ::core::arch::asm!(
                ".subsection 1", ".p2align 6", ".previous",
                options(nomem, nostack, preserves_flags)
            );
        }
    }
}

fn data(benchmark: &Benchmark) -> TokenStream {
    let library = &benchmark.library;
    let marker = Marker::new(&benchmark.function);
    let registration = marker.registration(library, benchmark.subject);
    let Marker { name, function, conditions, declaration, .. } = &marker;
    let measured = measured(&benchmark.function, function);
    let callee = quote_spanned!(Span::mixed_site()=> <#name>::#function);
    let constant = data::constant(benchmark, &marker, &callee, |run| {
        let run = run.runner();
        quote_spanned!(Span::mixed_site()=> run: #run,)
    });
    quote_spanned! {Span::mixed_site()=>
        #declaration

        #conditions
        impl #name {
            #measured

            // Not in the trait's constant, whose name would be in each symbol of a function in here
            #constant
        }

        #conditions
        impl #library::LibraryBenchmark for #name {
            const FUNCTION: #library::LibraryFunction = Self::FUNCTION;
        }

        #registration
    }
}
