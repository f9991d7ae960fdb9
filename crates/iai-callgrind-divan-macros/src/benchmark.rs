//! Expansion of `#[divan::bench]`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, GenericParam, Lifetime, Signature, Type, Visibility};

use crate::entry::entry;
use crate::message;
use crate::settings::Settings;

/// Maximum number of constants in a slice that the attribute only names. Each of them is compiled, whatever its length.
const MAXIMUM: usize = 20;

/// Returns the function, and its registration. A function whose call is the measured one is a part of its caller then, as
/// with `#[library_benchmark]`.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> syn::Result<TokenStream> {
    let settings = Settings::parse(options)?;
    let function = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let signature: Signature = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok((attributes, signature))
    };
    let (attributes, signature) = function.parse2(item.clone())?;
    let entry = entry(&settings, &signature.ident, &attributes);
    let benchmark = Benchmark::new(settings, signature)?;
    let is_fixed = |attribute: &Attribute| {
        ["inline", "target_feature"].iter().any(|name| attribute.path().is_ident(name))
    };
    let inline = (!benchmark.has_bencher && !attributes.iter().any(is_fixed))
        .then(|| quote!(#[inline(always)]));
    let registration = benchmark.registration(&entry);
    Ok(quote!(#inline #item #registration))
}

/// A function with its options.
struct Benchmark {
    settings: Settings,
    function: Ident,
    /// Generic parameters other than lifetimes.
    generics: Vec<Generic>,
    /// Type of the generic constant.
    constant: Option<Type>,
    /// The function has a parameter for a bencher.
    has_bencher: bool,
    /// Type of the parameter for the values of `args`.
    parameter: Option<TokenStream>,
}

/// Kind of a generic parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generic {
    Type,
    Constant,
}

impl Benchmark {
    fn new(settings: Settings, signature: Signature) -> syn::Result<Self> {
        let error = |span: Span, message| Err(syn::Error::new(span, message));
        let span = signature.inputs.span();
        let mut parameters: Vec<FnArg> = signature.inputs.into_iter().collect();
        let number = parameters.len();
        let has_args = settings.args.is_some();
        if number > 2 {
            return error(span, message::BENCHER_AND_ARGUMENT);
        }
        if number == 2 && !has_args {
            return error(span, message::NO_ARGS);
        }
        if number == 0 && has_args {
            return error(signature.ident.span(), message::NO_PARAMETER);
        }
        let (mut generics, mut constant) = (Vec::new(), None);
        for parameter in signature.generics.params {
            match parameter {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(_) => generics.push(Generic::Type),
                GenericParam::Const(parameter) => {
                    generics.push(Generic::Constant);
                    constant = Some(parameter.ty);
                }
            }
        }
        if settings.types.is_some() && !generics.contains(&Generic::Type) {
            return error(signature.ident.span(), message::NO_TYPES);
        }
        if settings.consts.is_some() && constant.is_none() {
            return error(signature.ident.span(), message::NO_CONSTANTS);
        }
        let parameter = parameters.pop().filter(|_| has_args).map(|parameter| match parameter {
            FnArg::Typed(parameter) => without_lifetimes(parameter.ty.into_token_stream()),
            FnArg::Receiver(parameter) => parameter.into_token_stream(),
        });
        Ok(Self {
            has_bencher: number - usize::from(has_args) > 0,
            function: signature.ident,
            settings,
            generics,
            constant,
            parameter,
        })
    }

    fn registration(&self, entry: &TokenStream) -> TokenStream {
        let private = self.settings.private();
        let Some((constants, instances)) = self.instances() else { return TokenStream::new() };
        let arguments = self.settings.args.as_ref().map(|_| {
            quote! {
                use #private::{DebugLabel as _, TextLabel as _};
                static __ARGUMENTS: #private::Arguments = #private::Arguments::new();
            }
        });
        quote! {
            const _: () = {
                #arguments
                #constants
                #private::page_starts!();
                #private::submit! {
                    #private::Registered(#private::table!(
                        #private::Benchmark,
                        #private::Benchmark { entry: #entry, instances: #instances }
                    ))
                }
            };
        }
    }

    /// Returns the constants that the instances name, and a slice of the instances of each type. There is nothing to register
    /// with an empty list of types or constants.
    fn instances(&self) -> Option<(TokenStream, TokenStream)> {
        let types: Vec<_> = match &self.settings.types {
            Some(types) => types.iter().map(Some).collect(),
            None => vec![None],
        };
        if types.is_empty() {
            return None;
        }
        let (Some(consts), Some(of_type)) = (&self.settings.consts, &self.constant) else {
            let instances = types.iter().map(|of_type| self.instance(*of_type, None));
            return Some((TokenStream::new(), self.lists([self.list(instances)])));
        };
        let values = quote!(const __VALUES: &[#of_type] = &#consts;);
        if let Expr::Array(list) = consts {
            let number = list.elems.len();
            let instances = types.iter().map(|of_type| {
                let instances = (0..number)
                    .map(|index| self.instance(*of_type, Some(&quote!(__VALUES[#index]))));
                self.list(instances)
            });
            return (number > 0).then(|| (values, self.lists(instances)));
        }
        let message = message::TOO_MANY_CONSTANTS;
        let check = quote!(
            const _: () = ::core::assert!(__VALUES.len() <= #MAXIMUM, #message);
        );
        let private = self.settings.private();
        let instances = types.iter().map(|of_type| {
            let instances = (0..MAXIMUM).map(|index| {
                let index = quote!(if #index < __VALUES.len() { #index } else { 0 });
                self.instance(*of_type, Some(&quote!(__VALUES[#index])))
            });
            let all = self.list(instances);
            quote! {{
                const __ALL: &[#private::Instance] = #all;
                // The others repeat the first one
                __ALL.split_at(__VALUES.len()).0
            }}
        });
        Some((quote!(#values #check), self.lists(instances)))
    }

    /// Returns a list of instances, in the section of tables.
    fn list(&self, instances: impl IntoIterator<Item = TokenStream>) -> TokenStream {
        let private = self.settings.private();
        self.table(&quote!(#private::Instance), instances)
    }

    /// Returns a list of such lists.
    fn lists(&self, lists: impl IntoIterator<Item = TokenStream>) -> TokenStream {
        let private = self.settings.private();
        self.table(&quote!(&'static [#private::Instance]), lists)
    }

    fn table(
        &self,
        element: &TokenStream,
        items: impl IntoIterator<Item = TokenStream>,
    ) -> TokenStream {
        let private = self.settings.private();
        let items: Vec<_> = items.into_iter().collect();
        let number = items.len();
        quote!(#private::table!([#element; #number], [#(#items),*]))
    }

    /// Returns the `Instance` with this type and this constant.
    fn instance(&self, of_type: Option<&Type>, constant: Option<&TokenStream>) -> TokenStream {
        let private = self.settings.private();
        let cases = self.cases(of_type, constant);
        let option = |value: Option<TokenStream>| {
            let some = value.map(|value| quote!(::core::option::Option::Some(#value)));
            some.unwrap_or_else(|| quote!(::core::option::Option::None))
        };
        let type_name =
            option(of_type.map(|of_type| quote!(|| ::core::any::type_name::<#of_type>())));
        let constant =
            option(constant.map(|value| quote!(|| ::std::string::ToString::to_string(&#value))));
        quote!(#private::Instance { type_name: #type_name, constant: #constant, cases: #cases })
    }

    /// Returns the `Cases` with this type and this constant.
    fn cases(&self, of_type: Option<&Type>, constant: Option<&TokenStream>) -> TokenStream {
        let private = self.settings.private();
        let function = &self.function;
        let generics: Vec<_> = self
            .generics
            .iter()
            .filter_map(|generic| match generic {
                Generic::Type => of_type.map(ToTokens::into_token_stream),
                Generic::Constant => constant.map(|value| quote!({ #value })),
            })
            .collect();
        let function = if generics.is_empty() {
            quote!(#function)
        } else {
            quote!(#function::<#(#generics),*>)
        };
        let (Some(args), Some(parameter)) = (&self.settings.args, &self.parameter) else {
            let call = if self.has_bencher {
                quote!(#function(__bencher))
            } else {
                quote!(__bencher.bench_local(|| #function()))
            };
            return quote!(#private::Cases::One(|__bencher| { #call; }));
        };
        let argument = quote!(#private::Argument::<#parameter>::convert(__argument));
        let call = if self.has_bencher {
            quote!(#function(__bencher, #argument))
        } else {
            let values = quote!(bench_local_values(|__argument| #function(__argument)));
            quote!(__bencher.with_inputs(|| #argument).#values)
        };
        let empty = match args {
            Expr::Array(list) if list.elems.is_empty() => Some(quote!(-> [#parameter; 0])),
            _ => None,
        };
        quote! {
            #private::Cases::Each(|__visit| __ARGUMENTS.visit(
                || #empty { #args },
                |__bencher, __argument| { #call; },
                |__argument| (&#private::Label(__argument)).label(),
                __visit,
            ))
        }
    }
}

/// Replaces lifetimes, which have a name only in the function.
fn without_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut replaced = Vec::new();
    let mut is_lifetime = false;
    for token in tokens {
        let token = match token {
            TokenTree::Group(group) => {
                let stream = without_lifetimes(group.stream());
                TokenTree::Group(Group::new(group.delimiter(), stream))
            }
            TokenTree::Ident(name) if is_lifetime && name != "static" => {
                TokenTree::Ident(Lifetime::new("'_", name.span()).ident)
            }
            other => other,
        };
        is_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        replaced.push(token);
    }
    replaced.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expansion(options: &str, item: &str) -> syn::Result<String> {
        let expanded = expand(options.parse().unwrap(), &item.parse().unwrap())?;
        Ok(expanded.to_string().replace(' ', ""))
    }

    #[test]
    fn wrong_functions_have_a_message() {
        for (options, item, expected) in [
            ("", "fn f(_: Bencher, n: u32) {}", message::NO_ARGS),
            ("args = [1]", "fn f(_: Bencher, n: u32, m: u32) {}", message::BENCHER_AND_ARGUMENT),
            ("args = [1]", "fn f() {}", message::NO_PARAMETER),
            ("types = [u8]", "fn f<const N: usize>() {}", message::NO_TYPES),
            ("consts = [1]", "fn f<T>() {}", message::NO_CONSTANTS),
        ] {
            let error = expansion(options, item).err().unwrap();
            assert_eq!(error.to_string(), expected, "{item}");
        }
    }

    #[test]
    fn generic_arguments_are_in_the_order_of_the_function() {
        for (generics, expected) in [
            ("<'a, T: Trait<'a>, const N: usize>", "f::<u8,{__VALUES[0usize]}>()"),
            ("<const N: usize, T>", "f::<{__VALUES[0usize]},u8>()"),
        ] {
            let item = format!("fn f{generics}() {{}}");
            let expansion = expansion("types = [u8], consts = [3]", &item).unwrap();
            assert!(expansion.contains(expected), "{expansion}");
        }
    }

    #[test]
    fn an_empty_list_registers_nothing() {
        for options in ["types = [], consts = [1]", "types = [u8], consts = []"] {
            let expansion = expansion(options, "fn f<T, const N: usize>() {}").unwrap();
            assert_eq!(expansion, "#[inline(always)]fnf<T,constN:usize>(){}");
        }
    }

    #[test]
    fn only_the_measured_function_is_inlined() {
        let is_inlined = |item| expansion("", item).unwrap().starts_with("#[inline(always)]");
        assert!(is_inlined("fn f() {}"));
        assert!(!is_inlined("fn f(bencher: Bencher) {}"));
        assert!(!is_inlined("#[inline(never)] fn f() {}"));
    }

    #[test]
    fn lifetimes_of_the_function_have_no_name_outside() {
        let item = "fn f<'a>(bencher: Bencher, text: &'a Text<'a, 'static>) {}";
        let expansion = expansion("args = TEXTS", item).unwrap();
        assert!(expansion.contains("Argument::<&'_Text<'_,'static>>::convert"), "{expansion}");
    }
}
