//! Expands what a case runs: its inputs go to the function, or to what runs around it.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use crate::cases::Case;
use crate::hooks::{Hooks, untyped_closure};
use crate::inputs::Inputs;
use crate::library::argument;

/// A function that gives the arguments the types of the benchmark function's parameters.
///
/// A conversion, such as the one from `&String` to `&str`, thus takes place before the measurement. It
/// has the span of the benchmark function, which is the one that a wrong argument doesn't fit.
pub(crate) fn typed_arguments(function: &Ident, number: usize) -> TokenStream {
    if number == 0 {
        return TokenStream::new();
    }
    let name = typed_arguments_name(function);
    let types: Vec<_> = (0..number).map(|index| format_ident!("Argument{index}")).collect();
    let arguments = arguments(number, Span::mixed_site());
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

pub(crate) fn arguments(number: usize, span: Span) -> Vec<Ident> {
    (0..number).map(|index| argument(index, span)).collect()
}

/// The lines of a file, visible where the attributes' expressions are evaluated as well.
fn lines_name() -> Ident {
    Ident::new("__IAI_CALLGRIND_LINES", Span::mixed_site())
}

/// A case of a function with this many parameters.
pub(crate) struct Run<'a> {
    pub(crate) case: &'a Case,
    /// What runs around the call, with the inputs.
    pub(crate) hooks: &'a Hooks,
    pub(crate) function: &'a Ident,
    /// What is called.
    pub(crate) callee: &'a TokenStream,
    pub(crate) number: usize,
}

impl Run<'_> {
    /// What the other two refer to.
    pub(crate) fn constants(&self) -> TokenStream {
        let Inputs::Line(file) = &self.case.inputs else { return TokenStream::new() };
        let name = lines_name();
        let (path, lines) = (&file.path, &file.lines);
        quote_spanned! {Span::mixed_site()=>
            const #name: &[&str] = &[#(#lines),*];
            // Has cargo compile anew when the file changes, and leaves nothing in the executable
            const _: &[u8] = ::core::include_bytes!(#path);
        }
    }

    /// The runs that share the closure.
    pub(crate) fn items(&self) -> TokenStream {
        let items = quote_spanned!(Span::mixed_site()=> ::iai_callgrind::__internal::Items);
        match &self.case.inputs {
            Inputs::Each(_) | Inputs::Tuple(..) => quote_spanned!(Span::mixed_site()=> #items::One),
            Inputs::Line(_) => {
                let lines = lines_name();
                quote_spanned!(Span::mixed_site()=> #items::Lines(#lines))
            }
            Inputs::Item(iter, _) => {
                let count = self.count(iter);
                quote_spanned!(Span::mixed_site()=> #items::Counted(|| #count))
            }
        }
    }

    /// Counts the items. A literal has the type that the benchmark gives it, for which reason the
    /// expression is used as it is there.
    fn count(&self, iter: &Expr) -> TokenStream {
        let span = Span::mixed_site().located_at(iter.span());
        let function = self.function_pointer();
        let helpers = self.helpers();
        let item = quote_spanned!(span=> item);
        let body = self.with_arguments(&item, &quote!({}));
        quote_spanned! {span=>
            ::iai_callgrind::__internal::count(#iter, |item| {
                #helpers
                #function
                #body
            })
        }
    }

    /// A closure, because the name of a function could be the name of one that the arguments call.
    ///
    /// The function is called through a pointer that the optimizer can't see through: it could evaluate
    /// the call in advance, or drop it if it has no effects. And what the arguments borrow from lives
    /// until the end of a `match`.
    pub(crate) fn closure(&self) -> TokenStream {
        let function = self.function_pointer();
        let helpers = self.helpers();
        let (index, input) = self.input();
        let body = self.with_arguments(&input, &self.call());
        quote_spanned! {Span::mixed_site()=>
            |region, #index| {
                #helpers
                #function
                let function = ::core::hint::black_box(function);
                #body
            }
        }
    }

    pub(crate) fn function_pointer(&self) -> TokenStream {
        let callee = self.callee;
        let placeholders = (0..self.number).map(|_| quote!(_));
        quote_spanned! {Span::mixed_site()=>
            let function: fn(#(#placeholders),*) -> _ = #callee;
        }
    }

    /// The closure's second parameter, and the input that it stands for.
    pub(crate) fn input(&self) -> (TokenStream, TokenStream) {
        match &self.case.inputs {
            Inputs::Each(_) | Inputs::Tuple(..) => (quote!(_), TokenStream::new()),
            Inputs::Line(file) => {
                let span = Span::mixed_site().located_at(file.span);
                let lines = lines_name();
                let mut line = quote_spanned!(Span::mixed_site()=> #lines[item]);
                // A parameter without a type has the line's
                if self.hooks.setup.as_ref().and_then(untyped_closure).is_none() {
                    let convert =
                        quote_spanned!(span=> ::iai_callgrind::__internal::FromLine::from_line);
                    line = quote_spanned!(span=> #convert(#line));
                }
                (quote_spanned!(Span::mixed_site()=> item), line)
            }
            Inputs::Item(iter, _) => {
                let span = Span::mixed_site().located_at(iter.span());
                let item = quote_spanned!(span=> ::iai_callgrind::__internal::item(#iter, item));
                (quote_spanned!(Span::mixed_site()=> item), item)
            }
        }
    }

    /// Evaluates the inputs and runs `call` with them in `argument_0`, `argument_1`, and so on. `input`
    /// is the line or the item, if it's one of these.
    pub(crate) fn with_arguments(&self, input: &TokenStream, call: &TokenStream) -> TokenStream {
        match &self.case.inputs {
            Inputs::Each(inputs) => self.call_with(&quote!(#(#inputs),*), call),
            Inputs::Tuple(tuple, number) => {
                self.call_with_parts(tuple.span(), &tuple.to_token_stream(), *number, call)
            }
            Inputs::Line(_) | Inputs::Item(_, None) => self.call_with(input, call),
            Inputs::Item(iter, Some(number)) => {
                self.call_with_parts(iter.span(), input, *number, call)
            }
        }
    }

    fn call_with_parts(
        &self,
        span: Span,
        tuple: &TokenStream,
        number: usize,
        call: &TokenStream,
    ) -> TokenStream {
        let span = Span::mixed_site().located_at(span);
        let parts = arguments(number, span);
        let call = self.call_with(&quote!(#(#parts),*), call);
        let pattern = quote_spanned!(span=> (#(#parts,)*));
        quote_spanned!(Span::mixed_site()=> match #tuple { #pattern => #call })
    }

    fn call_with(&self, inputs: &TokenStream, call: &TokenStream) -> TokenStream {
        let inputs = match &self.hooks.setup {
            Some(setup) => apply(setup, inputs),
            None if self.number == 0 => return call.clone(),
            None => inputs.clone(),
        };
        let name = typed_arguments_name(self.function);
        let typed = quote_spanned!(name.span()=> #name(function, #inputs));
        let arguments = arguments(self.number, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> match #typed { (#(#arguments,)*) => #call })
    }

    /// The measured call.
    fn call(&self) -> TokenStream {
        let arguments = arguments(self.number, Span::mixed_site());
        let teardown = self.hooks.teardown.as_ref();
        let span = teardown.map_or_else(Span::mixed_site, |teardown| {
            Span::mixed_site().located_at(teardown.span())
        });
        let result = quote_spanned!(span=> result);
        let end = teardown.map_or_else(|| result.clone(), |teardown| apply(teardown, &result));
        quote_spanned! {Span::mixed_site()=> {
            let result = region.measure(move || function(#(#arguments),*));
            let _ = ::core::hint::black_box(#end);
        }}
    }

    /// The functions that call the hooks that are closures without types.
    pub(crate) fn helpers(&self) -> TokenStream {
        let hooks = [&self.hooks.setup, &self.hooks.teardown];
        let closures = hooks.into_iter().flatten().filter_map(untyped_closure);
        let numbers: BTreeSet<usize> = closures.map(|closure| closure.inputs.len()).collect();
        numbers.into_iter().map(helper).collect()
    }
}

/// Calls a set-up or a tear-down. With its span, so that it is what the compiler shows if it takes or
/// returns the wrong type.
pub(crate) fn apply(hook: &Expr, inputs: &TokenStream) -> TokenStream {
    let span = Span::mixed_site().located_at(hook.span());
    if let Some(closure) = untyped_closure(hook) {
        let name = helper_name(closure.inputs.len());
        return quote_spanned!(span=> #name(#hook, #inputs));
    }
    quote_spanned!(span=> (#hook)(#inputs))
}

/// A function that calls a closure with this many parameters. The compiler looks at a function's other
/// arguments before it looks at closures among them, so that it knows the parameters' types by then.
pub(crate) fn helper(number: usize) -> TokenStream {
    let name = helper_name(number);
    let types: Vec<_> = (0..number).map(|index| format_ident!("Argument{index}")).collect();
    let arguments = arguments(number, Span::mixed_site());
    quote_spanned! {Span::mixed_site()=>
        fn #name<#(#types,)* Output>(
            closure: impl ::core::ops::FnOnce(#(#types),*) -> Output,
            #(#arguments: #types),*
        ) -> Output {
            closure(#(#arguments),*)
        }
    }
}

/// Visible in the closure as well, which doesn't use it.
fn helper_name(number: usize) -> Ident {
    Ident::new(&format!("__iai_callgrind_call_with_{number}"), Span::mixed_site())
}
