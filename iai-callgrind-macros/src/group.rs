//! Parts that the macros of groups share: a group's name, and the type that represents the group.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::library_path::LibraryPath;
use crate::marker::type_path;
use crate::parameters::{ListedFunction, Parameters, Syntax};
use crate::subject::Subject;
use crate::tokens::{table, text};

/// Macro that declares a group.
pub(crate) struct GroupMacro {
    /// Parameters of the macro.
    pub(crate) syntax: Syntax,
    /// Example for messages.
    pub(crate) example: &'static str,
    /// Subject of the benchmarks.
    pub(crate) subject: Subject,
    /// Takes the parameters that not every group has.
    pub(crate) take: fn(&Ident, &LibraryPath, &mut Parameters, &mut Errors) -> Group,
}

/// Expanded parts of a group.
pub(crate) struct Group {
    pub(crate) config: TokenStream,
    pub(crate) hooks: TokenStream,
    pub(crate) functions: TokenStream,
    /// Items that are declared next to the group.
    pub(crate) items: TokenStream,
}

impl GroupMacro {
    /// Declares the group, or reports the errors.
    ///
    /// A group with errors is declared too, so that `main!` does not report another error about it.
    pub(crate) fn expand(&self, input: TokenStream) -> TokenStream {
        let mut errors = Errors::default();
        let mut parameters = self.syntax.parse_tokens(input, &mut errors);
        let library = LibraryPath::take(&mut parameters, &mut errors);
        let name = parameters
            .require("name", self.example, &mut errors)
            .and_then(|name| errors.check(name.into_identifier()));
        let group =
            name.as_ref().map(|name| (self.take)(name, &library, &mut parameters, &mut errors));
        let mut value = |key, default: TokenStream| {
            let value = parameters.take_expression(key, &mut errors);
            value.map_or(default, ToTokens::into_token_stream)
        };
        let compare_by_id = value("compare_by_id", quote_spanned!(Span::mixed_site()=> false));
        let max_parallel = value("max_parallel", quote_spanned!(Span::mixed_site()=> 0));
        let group = name.zip(group).map(|(name, group)| {
            self.declare(&name, &library, [&compare_by_id, &max_parallel], &group)
        });
        let errors = errors.into_compile_errors();
        quote_spanned!(Span::mixed_site()=> #errors #group)
    }

    fn declare(
        &self,
        name: &Ident,
        library: &LibraryPath,
        [compare_by_id, max_parallel]: [&TokenStream; 2],
        group: &Group,
    ) -> TokenStream {
        let Group { config, hooks, functions, items } = group;
        let text = text(library, &name.unraw().to_string());
        let declares = self.subject.group_trait(Span::mixed_site());
        quote_spanned! {Span::mixed_site()=>
            #items

            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            pub struct #name {}

            impl #library::#declares for #name {
                const GROUP: #library::Group = #library::Group {
                    name: #text,
                    compare_by_id: #compare_by_id,
                    max_parallel: #max_parallel,
                    config: #config,
                    hooks: #hooks,
                    functions: #functions,
                };
            }
        }
    }
}

/// Expands a list of functions.
pub(crate) fn listed(
    library: &LibraryPath,
    functions: &[ListedFunction],
    subject: Subject,
) -> TokenStream {
    let functions = functions.iter().map(|listed| function(library, listed, subject));
    let functions = table(library, &subject.function(), &functions.collect::<Vec<_>>());
    let kind = subject.variant();
    quote_spanned! {Span::mixed_site()=>
        #library::Functions::#kind(#functions)
    }
}

/// Expands with the path's span, so that the compiler shows a wrong path.
fn function(library: &LibraryPath, listed: &ListedFunction, subject: Subject) -> TokenStream {
    let ListedFunction { path, title } = listed;
    let span = Span::mixed_site().located_at(path.span());
    let marker = type_path(path);
    let (library, function) = (library.located_at(span), subject.function_trait(span));
    let function = quote_spanned!(span=> <#marker as #library::#function>::FUNCTION);
    match title {
        Some(title) => {
            let (data, name, title) = (subject.function(), subject.title(), text(&library, title));
            quote_spanned!(span=> #library::#data { #name: #title, ..#function })
        }
        None => function,
    }
}
