//! Expands a [`Benchmark`] of a function to the user's function and, beside it, the function as data.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{FnArg, GenericParam, Ident, ItemFn, Signature};

use crate::benchmark::{Benchmark, is_inline};
use crate::data::Marker;
use crate::level::{config, option};
use crate::run::{Run, typed_arguments};
use crate::subject::Subject;

/// The function and its data.
pub(crate) fn expand(benchmark: &Benchmark) -> TokenStream {
    let function = function(&benchmark.function);
    let data = data(benchmark);
    quote!(#function #data)
}

/// The user's function, which becomes a part of what is measured.
fn function(function: &ItemFn) -> TokenStream {
    let mut function = function.clone();
    function.attrs.retain(|attribute| !is_inline(attribute));
    quote_spanned! {Span::mixed_site()=>
        #[allow(clippy::inline_always)]
        #[inline(always)]
        #function
    }
}

/// What is measured: an associated function of the type with the function's name, which has the user's
/// function inlined, can't be inlined itself, and has a section of its own.
///
/// The measurement goes by the symbol, and entering a function that is measured already ends the
/// measurement. So nothing else may call what is measured: a benchmark function that calls itself, or
/// another one, calls the user's function, because the name of an associated function isn't in scope.
///
/// LLVM merges functions with the same body, also across modules, and what is measured in them then
/// counts for another function or not at all. It doesn't merge functions of different sections. The
/// name begins with `.text.`, which linkers put into `.text`.
///
/// The section begins at a cache line, and so does the function, which is alone in it: how many lines
/// it occupies does not depend on what the linker puts before it. The assembly has no instruction, and
/// its padding stands in a subsection, behind the function.
///
/// `link_section` is an unsafe attribute, but with our span it isn't the user who writes it, so that
/// `#![forbid(unsafe_code)]` doesn't find it.
fn measured(function: &ItemFn, marker: &Ident) -> TokenStream {
    let Signature { ident: name, generics, inputs, output, .. } = &function.sig;
    let section = name.unraw().to_string();
    let (parameters, _, conditions) = generics.split_for_impl();
    let arguments: Vec<_> = (0..inputs.len()).map(|at| argument(at, Span::mixed_site())).collect();
    let types = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&typed.ty),
        FnArg::Receiver(_) => None,
    });
    let instance = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    });
    let (attributes, aligned) = kept_apart(&section);
    quote_spanned! {Span::mixed_site()=>
        #attributes
        fn #marker #parameters (#(#arguments: #types),*) #output #conditions {
            #aligned
            #name::<#(#instance),*>(#(#arguments),*)
        }
    }
}

/// What a function has that is measured: its attributes, and what its body begins with.
pub(crate) fn kept_apart(section: &str) -> (TokenStream, TokenStream) {
    let attributes = quote_spanned! {Span::mixed_site()=>
        #[inline(never)]
        #[cfg_attr(
            target_os = "linux",
            unsafe(link_section = ::core::concat!(
                ".text.iai_callgrind.", ::core::module_path!(), "::", #section
            ))
        )]
    };
    let aligned = quote_spanned! {Span::mixed_site()=>
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        unsafe {
            ::core::arch::asm!(
                ".subsection 1", ".p2align 6", ".previous",
                options(nomem, nostack, preserves_flags)
            );
        }
    };
    (attributes, aligned)
}

fn data(benchmark: &Benchmark) -> TokenStream {
    let Signature { ident: name, inputs, .. } = &benchmark.function.sig;
    let Marker { name: marker, text, conditions, declaration } = Marker::of(&benchmark.function);
    let measured = measured(&benchmark.function, &marker);
    let number = inputs.len();
    let typed_arguments = typed_arguments(name, number);
    let callee = quote_spanned!(Span::mixed_site()=> <#marker>::#marker);
    let cases = benchmark.cases.iter().map(|case| {
        let hooks = &case.hooks;
        self::case(&Run { case, hooks, function: name, callee: &callee, number })
    });
    let config = config(benchmark.config.as_ref(), benchmark.subject);

    quote_spanned! {Span::mixed_site()=>
        #declaration

        #conditions
        impl #marker {
            #measured
        }

        #conditions
        impl ::iai_callgrind::__internal::LibraryBenchmark for #marker {
            const FUNCTION: ::iai_callgrind::__internal::Function = {
                #typed_arguments

                ::iai_callgrind::__internal::Function {
                    name: #text,
                    // Has the function's path, of which `module_path!` leaves out enclosing functions
                    owner: ::core::any::type_name::<#marker>,
                    config: #config,
                    cases: &[#(#cases),*],
                }
            };
        }
    }
}

/// The name of an argument of the benchmark function.
pub(crate) fn argument(index: usize, span: Span) -> Ident {
    Ident::new(&format!("argument_{index}"), Span::mixed_site().located_at(span))
}

fn case(run: &Run<'_>) -> TokenStream {
    let case = run.case;
    let id = option(case.id.as_ref().map(ToTokens::to_token_stream));
    let arguments = case.inputs.display();
    let config = config(case.config.as_ref(), Subject::Library);
    let (constants, items, run) = (run.constants(), run.items(), run.closure());
    quote_spanned! {Span::mixed_site()=> {
        #constants
        ::iai_callgrind::__internal::Case {
            id: #id,
            arguments: #arguments,
            config: #config,
            items: #items,
            run: #run,
        }
    }}
}
