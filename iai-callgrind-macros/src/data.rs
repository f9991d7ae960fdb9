//! Expands the data of a benchmark function, which is the same for both kinds of benchmarks but for a few fields.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Signature;

use crate::amount::{size, throughput};
use crate::benchmark::Benchmark;
use crate::hooks::Hooks;
use crate::level::limited_config;
use crate::literals::Literals;
use crate::marker::Marker;
use crate::run::{Run, typed_arguments};
use crate::subject::Subject;
use crate::tokens::{Texts, option, table};

/// Expands the constant `FUNCTION`. `callee` is the function that the cases call, without the values of const parameters, and
/// `calls` expands the fields of a case that contain the call.
pub(crate) fn constant(
    benchmark: &Benchmark,
    marker: &Marker,
    callee: &impl ToTokens,
    calls: fn(&Run<'_>) -> TokenStream,
) -> TokenStream {
    let (library, subject) = (&benchmark.library, benchmark.subject);
    let Signature { ident: name, inputs, generics, .. } = &benchmark.function.sig;
    let (mut texts, literals) = (Texts::default(), Literals::default());
    let name_text = texts.add(&marker.text);
    let title = (subject == Subject::Library)
        .then(|| quote_spanned!(Span::mixed_site()=> title: #name_text,));
    let number = inputs.len();
    let typed_arguments = typed_arguments(name, number);
    let no_hooks = Hooks::default();
    let cases = benchmark.cases.iter().enumerate().map(|(index, case)| {
        let constants = case.constants.arguments(generics);
        let run = Run {
            library,
            case,
            hooks: if subject == Subject::Library { &case.hooks } else { &no_hooks },
            function: name,
            callee: &quote_spanned!(Span::mixed_site()=> #callee #constants),
            number,
            index,
            literals: &literals,
        };
        self::case(&run, subject, &mut texts, calls)
    });
    let cases = table(library, &subject.case(), &cases.collect::<Vec<_>>());
    let (texts, literals) = (texts.declare(library), literals.declare(library));
    let config =
        limited_config(library, benchmark.config.as_ref(), &benchmark.limits, subject, None);
    let (marker, function) = (&marker.name, subject.function());
    quote_spanned! {Span::mixed_site()=>
        const FUNCTION: #library::#function = {
            #texts
            #literals
            #typed_arguments

            #library::#function {
                name: #name_text,
                #title
                // The function's path, of which `module_path!` omits enclosing functions
                owner: ::core::any::type_name::<#marker>,
                config: #config,
                cases: #cases,
            }
        };
    }
}

fn case(
    run: &Run<'_>,
    subject: Subject,
    texts: &mut Texts,
    calls: fn(&Run<'_>) -> TokenStream,
) -> TokenStream {
    let (library, case) = (run.library, run.case);
    let id = option(case.id.as_ref().map(|id| texts.add(id)));
    let arguments = (subject == Subject::Library).then(|| {
        let text = texts.add(&case.constants.display(case.inputs.display()));
        quote_spanned!(Span::mixed_site()=> arguments: #text,)
    });
    let config =
        limited_config(library, case.config.as_deref(), &case.limits, subject, Some(run.index));
    let (throughput, size) = (throughput(run), size(run));
    let curve = option(case.curve.as_ref().map(|curve| texts.add(curve)));
    let (constants, items, calls) = (run.constants(), run.items(), calls(run));
    let data = subject.case();
    quote_spanned! {Span::mixed_site()=> {
        #constants
        #library::#data {
            id: #id,
            #arguments
            config: #config,
            throughput: #throughput,
            size: #size,
            curve: #curve,
            items: #items,
            #calls
        }
    }}
}
