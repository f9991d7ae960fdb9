//! Expands a [`Benchmark`] to the user's function and, beside it, the function as data.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, GenericParam, Ident, ItemFn, Signature};

use crate::cases::{Case, Inputs};
use crate::library_benchmark::{Benchmark, is_inline};

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
fn measured(function: &ItemFn) -> TokenStream {
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
    let marker = with_our_span(name);
    let aligned = quote_spanned! {Span::mixed_site()=>
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        unsafe {
            ::core::arch::asm!(
                ".subsection 1", ".p2align 6", ".previous",
                options(nomem, nostack, preserves_flags)
            );
        }
    };
    quote_spanned! {Span::mixed_site()=>
        #[inline(never)]
        #[cfg_attr(
            target_os = "linux",
            unsafe(link_section = ::core::concat!(
                ".text.iai_callgrind.", ::core::module_path!(), "::", #section
            ))
        )]
        fn #marker #parameters (#(#arguments: #types),*) #output #conditions {
            #aligned
            #name::<#(#instance),*>(#(#arguments),*)
        }
    }
}

/// A type with the function's name, under which the group finds the data.
///
/// A struct with braces has its name in the types' namespace only, so that it doesn't get in the
/// function's way. Its span is ours: if no group lists the function, the compiler's warning shall be
/// about the function.
fn data(benchmark: &Benchmark) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = &benchmark.function;
    let conditions = attrs.iter().filter(|attribute| holds_for_data(attribute));
    let conditions = quote!(#(#conditions)*);

    let name = &sig.ident;
    let text = name.unraw().to_string();
    let marker = with_our_span(name);
    let measured = measured(&benchmark.function);
    let typed_arguments = typed_arguments(name, sig.inputs.len());
    let cases = benchmark.cases.iter().map(|case| self::case(case, name, sig.inputs.len()));

    quote_spanned! {Span::mixed_site()=>
        #conditions
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #marker {}

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
                    cases: &[#(#cases),*],
                }
            };
        }
    }
}

/// Attributes that have to be on the data as well: where there is no function there is no data, and
/// the arguments move from the function's attributes to there.
fn holds_for_data(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("allow")
}

fn with_our_span(name: &Ident) -> Ident {
    let mut marker = name.clone();
    marker.set_span(Span::mixed_site().located_at(name.span()));
    marker
}

/// A function that gives the arguments the types of the benchmark function's parameters.
///
/// A conversion, such as the one from `&String` to `&str`, thus takes place before the measurement. It
/// has the span of the benchmark function, which is the one that a wrong argument doesn't fit.
fn typed_arguments(function: &Ident, number: usize) -> TokenStream {
    if number == 0 {
        return TokenStream::new();
    }
    let name = typed_arguments_name(function);
    let types: Vec<_> = (0..number).map(|index| format_ident!("Argument{index}")).collect();
    let arguments: Vec<_> = (0..number).map(|index| argument(index, Span::mixed_site())).collect();
    quote_spanned! {Span::mixed_site()=>
        fn #name<#(#types,)* Output>(
            _: fn(#(#types),*) -> Output,
            #(#arguments: #types),*
        ) -> (#(#types,)*) {
            (#(#arguments,)*)
        }
    }
}

/// The arguments in the attributes are evaluated where this name is visible; none of them uses it.
fn typed_arguments_name(function: &Ident) -> Ident {
    let span = Span::mixed_site().located_at(function.span());
    Ident::new("__iai_callgrind_typed_arguments", span)
}

fn argument(index: usize, span: Span) -> Ident {
    Ident::new(&format!("argument_{index}"), Span::mixed_site().located_at(span))
}

fn case(case: &Case, function: &Ident, number: usize) -> TokenStream {
    let id = case.id.as_ref().map_or_else(
        || quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
        |id| quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#id)),
    );
    let arguments = case.inputs.display();
    let run = run(case, function, number);
    quote_spanned! {Span::mixed_site()=>
        ::iai_callgrind::__internal::Case { id: #id, arguments: #arguments, run: #run }
    }
}

/// A closure, because the name of a function could be the name of one that the arguments call.
///
/// The function is called through a pointer that the optimizer can't see through: it could evaluate
/// the call in advance, or drop it if it has no effects. And what the arguments borrow from lives
/// until the end of a `match`.
fn run(case: &Case, function: &Ident, number: usize) -> TokenStream {
    let placeholders = (0..number).map(|_| quote!(_));
    let call = call(case.hooks.teardown.as_ref(), number);
    let body = with_arguments(case, function, number, &call);
    let marker = with_our_span(function);
    quote_spanned! {Span::mixed_site()=>
        |region| {
            let function: fn(#(#placeholders),*) -> _ = <#marker>::#function;
            let function = ::core::hint::black_box(function);
            #body
        }
    }
}

/// Evaluates the inputs and runs `call` with them in `argument_0`, `argument_1`, and so on.
fn with_arguments(case: &Case, function: &Ident, number: usize, call: &TokenStream) -> TokenStream {
    let name = typed_arguments_name(function);
    let arguments: Vec<_> = (0..number).map(|index| argument(index, Span::mixed_site())).collect();
    let call_with = |inputs: &TokenStream| {
        let typed = quote_spanned!(name.span()=> #name(function, #inputs));
        quote_spanned!(Span::mixed_site()=> match #typed { (#(#arguments,)*) => #call })
    };

    match (&case.hooks.setup, &case.inputs) {
        (Some(setup), inputs) => call_with(&set_up(setup, inputs)),
        (None, Inputs::Each(_)) if number == 0 => call.clone(),
        (None, Inputs::Each(inputs)) => call_with(&quote!(#(#inputs),*)),
        (None, Inputs::Tuple(tuple)) => {
            let span = Span::mixed_site().located_at(tuple.span());
            let parts: Vec<_> = (0..number).map(|index| argument(index, span)).collect();
            let pattern = quote_spanned!(span=> (#(#parts,)*));
            let call = call_with(&quote!(#(#parts),*));
            quote_spanned!(Span::mixed_site()=> match #tuple { #pattern => #call })
        }
    }
}

/// With the set-up's span, so that it is the set-up that the compiler shows if it returns the wrong
/// type.
fn set_up(setup: &Expr, inputs: &Inputs) -> TokenStream {
    let span = Span::mixed_site().located_at(setup.span());
    match inputs {
        Inputs::Each(inputs) => quote_spanned!(span=> (#setup)(#(#inputs),*)),
        Inputs::Tuple(tuple) => quote_spanned!(span=> (#setup)(#tuple)),
    }
}

/// The measured call. Nothing else may stand between `begin` and `end`.
fn call(teardown: Option<&Expr>, number: usize) -> TokenStream {
    let arguments = (0..number).map(|index| argument(index, Span::mixed_site()));
    let end = teardown.map_or_else(
        || quote_spanned!(Span::mixed_site()=> result),
        |teardown| {
            let span = Span::mixed_site().located_at(teardown.span());
            quote_spanned!(span=> (#teardown)(result))
        },
    );
    quote_spanned! {Span::mixed_site()=> {
        region.begin();
        let result = function(#(#arguments),*);
        region.end();
        let _ = ::core::hint::black_box(#end);
    }}
}
