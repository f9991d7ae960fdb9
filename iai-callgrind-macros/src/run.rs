//! Expands the run of a case: inputs, setup, measured call and teardown.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use crate::cases::Case;
use crate::hooks::{Hooks, untyped_closure};
use crate::inputs::Inputs;
use crate::library_path::LibraryPath;
use crate::literals::Literals;
use crate::tokens;

/// Expands to a function that coerces the arguments to the types of the benchmark function's parameters.
///
/// A coercion, such as the one from `&String` to `&str`, then happens before the measurement. The
/// function has the span of the benchmark function, where the compiler shows a wrong argument.
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

/// Returns the name of that function. It is visible to the arguments in the attributes, which do not use it.
fn typed_arguments_name(function: &Ident) -> Ident {
    let span = Span::mixed_site().located_at(function.span());
    Ident::new("__iai_callgrind_typed_arguments", span)
}

/// Returns the names of the benchmark function's arguments.
pub(crate) fn arguments(number: usize, span: Span) -> Vec<Ident> {
    let span = Span::mixed_site().located_at(span);
    (0..number).map(|index| format_ident!("argument_{index}", span = span)).collect()
}

/// Returns the name of the lines of a file. It is visible to the arguments in the attributes, which do not use it.
fn lines_name() -> Ident {
    Ident::new("__IAI_CALLGRIND_LINES", Span::mixed_site())
}

/// Largest number of parameters for which the library has a `Region::measure_call`.
const SHARED: usize = 6;

/// Case with all that its run needs.
pub(crate) struct Run<'a> {
    pub(crate) library: &'a LibraryPath,
    pub(crate) case: &'a Case,
    /// Hooks that run around the call, with the inputs.
    pub(crate) hooks: &'a Hooks,
    pub(crate) function: &'a Ident,
    /// Expression for the called function.
    pub(crate) callee: &'a TokenStream,
    /// Number of the function's parameters.
    pub(crate) number: usize,
    /// Index of the case among those of the function.
    pub(crate) index: usize,
    /// The literal arguments of the function, to which the case adds its own.
    pub(crate) literals: &'a Literals,
}

impl Run<'_> {
    /// Expands to a pointer to a function of the case, see [`tokens::function_pointer`].
    pub(crate) fn function(
        &self,
        name: &str,
        parameters: &TokenStream,
        output: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        // In the order of the source
        let name = format!("{name}_{:04}", self.index);
        tokens::function_pointer(&name, parameters, output, body)
    }

    /// Expands to the constants that the other expansions refer to.
    pub(crate) fn constants(&self) -> TokenStream {
        let Inputs::Line(file) = &*self.case.inputs else { return TokenStream::new() };
        let name = lines_name();
        let (library, path, text) = (self.library, &file.path, file.lines.concat());
        let mut end = 0;
        let lines = file.lines.iter().map(|line| {
            let start = end;
            end += line.len();
            quote_spanned!(Span::mixed_site()=> __IAI_CALLGRIND_TEXT.0.part(#start, #end))
        });
        let (number, length) = (file.lines.len(), text.len());
        let lines = quote_spanned! {Span::mixed_site()=>
            #library::table!([&'static str; #number], {
                #library::argument_static!(__IAI_CALLGRIND_TEXT, #length, #text);
                [#(#lines),*]
            })
        };
        quote_spanned! {Span::mixed_site()=>
            const #name: &[&str] = #lines;
            // Makes cargo compile again when the file changes; not part of the executable
            const _: &[u8] = ::core::include_bytes!(#path);
        }
    }

    /// Expands to the items, each of which has its own run of the closure.
    pub(crate) fn items(&self) -> TokenStream {
        let library = self.library;
        let items = quote_spanned!(Span::mixed_site()=> #library::Items);
        match &*self.case.inputs {
            Inputs::Each(_) | Inputs::Tuple(..) => quote_spanned!(Span::mixed_site()=> #items::One),
            Inputs::Line(_) => {
                let lines = lines_name();
                quote_spanned!(Span::mixed_site()=> #items::Lines(#lines))
            }
            Inputs::Item(iter, _) => {
                let count = self.count(iter);
                let output = quote_spanned!(Span::mixed_site()=> ::core::primitive::usize);
                let count = self.function("count", &TokenStream::new(), &output, &count);
                quote_spanned!(Span::mixed_site()=> #items::Counted(#count))
            }
        }
    }

    /// Expands to the number of items. The closure uses an item as the benchmark does, which gives
    /// literals their types.
    fn count(&self, iter: &Expr) -> TokenStream {
        let span = Span::mixed_site().located_at(iter.span());
        let library = self.library.located_at(span);
        let function = self.function_pointer();
        let helpers = self.helpers();
        let item = quote_spanned!(span=> item);
        let body = self.with_arguments(&item, &quote!({}));
        quote_spanned! {span=>
            #library::count(#iter, |item| {
                #helpers
                #function
                #body
            })
        }
    }

    /// Expands to the function that runs the case.
    ///
    /// It calls the function through a pointer that the optimizer does not know. Otherwise it
    /// could evaluate the call in advance, or drop it if it has no effects. The values that arguments
    /// borrow from live until the end of a `match`.
    pub(crate) fn runner(&self) -> TokenStream {
        let function = self.function_pointer();
        let helpers = self.helpers();
        let (index, input) = self.input();
        let body = self.with_arguments(&input, &self.call());
        let library = self.library;
        let parameters = quote_spanned! {Span::mixed_site()=>
            region: &mut #library::Region, #index: ::core::primitive::usize
        };
        let body = quote_spanned! {Span::mixed_site()=>
            #helpers
            #function
            let function = ::core::hint::black_box(function);
            #body
        };
        self.function("run", &parameters, &quote!(()), &body)
    }

    /// Expands to the statement that declares a pointer to the function.
    pub(crate) fn function_pointer(&self) -> TokenStream {
        let callee = self.callee;
        let placeholders = (0..self.number).map(|_| quote!(_));
        quote_spanned! {Span::mixed_site()=>
            let function: fn(#(#placeholders),*) -> _ = #callee;
        }
    }

    /// Expands to the function's parameter for the index of the item, and to the input with this index.
    pub(crate) fn input(&self) -> (TokenStream, TokenStream) {
        match &*self.case.inputs {
            Inputs::Each(_) | Inputs::Tuple(..) => (quote!(_), TokenStream::new()),
            Inputs::Line(file) => {
                let span = Span::mixed_site().located_at(file.span);
                let lines = lines_name();
                let mut line = quote_spanned!(Span::mixed_site()=> #lines[item]);
                // A parameter without a type takes the line as it is
                if self.hooks.setup.as_deref().and_then(untyped_closure).is_none() {
                    let library = self.library.located_at(span);
                    line = quote_spanned!(span=> #library::FromLine::from_line(#line));
                }
                (quote_spanned!(Span::mixed_site()=> item), line)
            }
            Inputs::Item(iter, _) => {
                let span = Span::mixed_site().located_at(iter.span());
                let library = self.library.located_at(span);
                let item = quote_spanned!(span=> #library::item(#iter, item));
                (quote_spanned!(Span::mixed_site()=> item), item)
            }
        }
    }

    /// Expands to the evaluation of the inputs and to `call`, which finds them in `argument_0`,
    /// `argument_1`, and so on. `input` is the line or the item, if the input is one of these.
    pub(crate) fn with_arguments(&self, input: &TokenStream, call: &TokenStream) -> TokenStream {
        match &*self.case.inputs {
            Inputs::Each(_) => {
                let inputs = self.each();
                self.call_with(&quote!(#(#inputs),*), call)
            }
            Inputs::Tuple(tuple, number) => {
                self.call_with_parts(tuple.span(), &tuple.to_token_stream(), *number, call)
            }
            Inputs::Line(_) | Inputs::Item(_, None) => self.call_with(input, call),
            Inputs::Item(iter, Some(number)) => {
                self.call_with_parts(iter.span(), input, *number, call)
            }
        }
    }

    /// Expands to the inputs of one expression for each argument.
    fn each(&self) -> Vec<TokenStream> {
        let Inputs::Each(inputs) = &*self.case.inputs else { return Vec::new() };
        inputs.iter().map(|input| self.literals.with_fixed_place(self.library, input)).collect()
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

    /// Expands to the evaluation of the inputs for a setup or, without one, for the benchmark function, and to
    /// the code that `body` returns for their number. It finds them in `argument_0`, `argument_1`, and so on.
    pub(crate) fn with_inputs(
        &self,
        input: &TokenStream,
        body: impl FnOnce(usize) -> TokenStream,
    ) -> TokenStream {
        let Some(setup) = self.hooks.setup.as_deref() else {
            let function = (self.number > 0).then(|| self.function_pointer());
            let body = self.with_arguments(input, &body(self.number));
            return quote_spanned!(Span::mixed_site()=> #function #body);
        };
        let (inputs, number) = match &*self.case.inputs {
            Inputs::Each(inputs) => {
                let (each, number) = (self.each(), inputs.len());
                (quote!((#(#each,)*)), number)
            }
            Inputs::Tuple(tuple, number) => (tuple.to_token_stream(), *number),
            Inputs::Line(_) | Inputs::Item(_, None) => (quote!((#input,)), 1),
            Inputs::Item(_, Some(number)) => (input.clone(), *number),
        };
        let arguments = arguments(number, Span::mixed_site());
        let helper = untyped_closure(setup).map(|closure| helper(closure.inputs.len()));
        let call = apply(setup, &quote!(#(#arguments),*));
        let body = body(number);
        quote_spanned! {Span::mixed_site()=>
            match #inputs {
                (#(#arguments,)*) => {
                    // Gives literals the types of the setup's parameters, and never runs
                    if false {
                        #helper
                        let _ = #call;
                        ::core::unreachable!();
                    }
                    #body
                }
            }
        }
    }

    /// Expands to the measured call.
    fn call(&self) -> TokenStream {
        let arguments = arguments(self.number, Span::mixed_site());
        let teardown = self.hooks.teardown.as_deref();
        let span = teardown.map_or_else(Span::mixed_site, |teardown| {
            Span::mixed_site().located_at(teardown.span())
        });
        let result = quote_spanned!(span=> result);
        let end = teardown.map_or_else(|| result.clone(), |teardown| apply(teardown, &result));
        let measured = if self.number <= SHARED {
            quote_spanned!(Span::mixed_site()=> region.measure_call(function, (#(#arguments,)*)))
        } else {
            quote_spanned! {Span::mixed_site()=> {
                let function = region.entry(function);
                region.measure(move || function(#(#arguments),*))
            }}
        };
        quote_spanned! {Span::mixed_site()=> {
            let result = #measured;
            let _ = ::core::hint::black_box(#end);
        }}
    }

    /// Expands to the functions that call closures without types.
    pub(crate) fn helpers(&self) -> TokenStream {
        let hooks = [self.hooks.setup.as_deref(), self.hooks.teardown.as_deref()];
        let closures = hooks.into_iter().flatten().filter_map(untyped_closure);
        let numbers: BTreeSet<usize> = closures.map(|closure| closure.inputs.len()).collect();
        numbers.into_iter().map(helper).collect()
    }
}

/// Expands to the call of a setup or a teardown, with its span, where the compiler shows a wrong type.
pub(crate) fn apply(hook: &Expr, inputs: &TokenStream) -> TokenStream {
    let span = Span::mixed_site().located_at(hook.span());
    if let Some(closure) = untyped_closure(hook) {
        let mut name = helper_name(closure.inputs.len());
        name.set_span(span);
        return quote_spanned!(span=> #name(#hook, #inputs));
    }
    quote_spanned!(span=> (#hook)(#inputs))
}

/// Expands to a function that calls a closure with this number of parameters.
///
/// The compiler checks closures after the other arguments of a call, and knows the parameters' types by
/// then.
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

/// Returns the name of that function. It is visible to the closure, which does not use it.
fn helper_name(number: usize) -> Ident {
    Ident::new(&format!("__iai_callgrind_call_with_{number}"), Span::mixed_site())
}
