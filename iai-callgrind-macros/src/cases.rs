//! Cases of a benchmark function: parses `#[bench]` and `#[benches]`.

use std::mem;
use std::rc::Rc;

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprAssign, Ident, Meta, Token};

use crate::constants::Constants;
use crate::errors::{Errors, error};
use crate::growth::GrowthLimits;
use crate::hooks::{Hooks, Receiver};
use crate::inputs::{Inputs, Source};
use crate::matrix::{Amounts, Element, Matrix, Names};
use crate::message;
use crate::parameters::{Parameters, Syntax, starts_parameter};
use crate::subject::{Subject, Target};
use crate::tokens::{display, identifier, ungroup};

/// Run of a benchmark function, or several runs with the same code.
pub(crate) struct Case {
    /// `None` for a function without `#[bench]` and `#[benches]`. With several runs, a number follows.
    pub(crate) id: Option<String>,
    pub(crate) inputs: Rc<Inputs>,
    pub(crate) constants: Constants,
    pub(crate) hooks: Hooks,
    pub(crate) config: Option<Rc<Expr>>,
    pub(crate) limits: Rc<GrowthLimits>,
    pub(crate) throughput: Option<Throughput>,
    pub(crate) size: Option<Rc<Expr>>,
    /// Name of the growth curve within the function. `None` for the curve of the function itself.
    pub(crate) curve: Option<String>,
}

/// Parameters of the function's attribute that apply to the cases without their own.
pub(crate) struct Defaults {
    pub(crate) hooks: Hooks,
    pub(crate) throughput: Option<Rc<Expr>>,
    pub(crate) size: Option<Rc<Expr>>,
}

/// Throughput in the attributes of a benchmark function.
#[derive(Clone)]
pub(crate) enum Throughput {
    /// In `#[library_benchmark]` or `#[binary_benchmark]`: the `config` of a case comes first.
    OfFunction(Rc<Expr>),
    /// In `#[bench]` or `#[benches]`.
    OfCase(Rc<Expr>),
}

/// Inputs of a case and its place on a growth curve.
#[derive(Clone)]
struct Point {
    id: String,
    inputs: Rc<Inputs>,
    /// Size of the element. `None` if it is not generated.
    size: Option<Rc<Expr>>,
    /// Curve, as in [`Case::curve`].
    curve: Option<String>,
}

/// Attribute that declares cases.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `#[bench]` for one case.
    Bench,
    /// `#[benches]` for one case per element.
    Benches,
}

/// Parsed attribute.
struct Annotation {
    kind: Kind,
    id: Ident,
    source: Source,
    /// Values of the const parameters: an element for all cases, or one for each.
    constants: Vec<Constants>,
    hooks: Hooks,
    config: Option<Rc<Expr>>,
    limits: Rc<GrowthLimits>,
    throughput: Option<Throughput>,
    size: Option<Rc<Expr>>,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Bench, Self::Benches];

    /// Returns the kind of an attribute, with or without an id.
    pub(crate) fn from_attribute(attribute: &Attribute) -> Option<Self> {
        let first = &attribute.path().segments.first()?.ident;
        Self::ALL.into_iter().find(|kind| first == kind.name())
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Benches => "benches",
        }
    }

    fn syntax(self) -> Syntax {
        match self {
            Self::Bench => Syntax {
                name: "`#[bench]`",
                keys: &["args", "consts", "config", "throughput", "size", "setup", "teardown"],
            },
            Self::Benches => Syntax {
                name: "`#[benches]`",
                keys: &[
                    "args",
                    "file",
                    "iter",
                    "consts",
                    "config",
                    "throughput",
                    "size",
                    "complexity",
                    "per_element",
                    "setup",
                    "teardown",
                ],
            },
        }
    }

    /// Parses the value of `args`.
    fn parse_args(self, args: Expr) -> syn::Result<Source> {
        let matrix = if self == Self::Benches { Matrix::parse(&args) } else { None };
        match matrix {
            Some(matrix) => matrix.map(Source::Matrix),
            None => self.split_args(args).map(Source::Arguments),
        }
    }

    /// Splits the list in `args`.
    fn split_args(self, args: Expr) -> syn::Result<Vec<Expr>> {
        match (self, ungroup(args)) {
            (Self::Bench, Expr::Tuple(tuple)) => Ok(tuple.elems.into_iter().collect()),
            (Self::Bench, Expr::Paren(paren)) => Ok(vec![*paren.expr]),
            (Self::Bench | Self::Benches, Expr::Array(array)) => {
                Ok(array.elems.into_iter().collect())
            }
            (Self::Bench, other) => {
                let example = format!("({})", display(&other));
                Err(error(other, message::args_value("a tuple", &example)))
            }
            (Self::Benches, other) => {
                Err(error(other, message::args_value("an array", "[first, second]")))
            }
        }
    }

    /// Splits the value of `consts`.
    fn split_constants(self, value: Expr) -> syn::Result<Vec<Constants>> {
        match self {
            Self::Bench => Constants::from_case(value).map(|constants| vec![constants]),
            Self::Benches => Constants::from_cases(value),
        }
    }
}

impl Defaults {
    /// Takes the defaults out of the parameters of the function's attribute.
    pub(crate) fn take(
        parameters: &mut Parameters,
        target: Target<'_>,
        errors: &mut Errors,
    ) -> Self {
        let throughput = take_amount("throughput", parameters, errors);
        let size = take_amount("size", parameters, errors);
        Self { hooks: Hooks::take(parameters, target, errors), throughput, size }
    }

    /// Returns the throughput of the cases without their own.
    fn throughput(&self) -> Option<Throughput> {
        self.throughput.clone().map(Throughput::OfFunction)
    }
}

impl Throughput {
    fn expression(&self) -> &Expr {
        match self {
            Self::OfFunction(expression) | Self::OfCase(expression) => expression,
        }
    }
}

/// Takes the expression of an amount out of `parameters`.
fn take_amount(key: &str, parameters: &mut Parameters, errors: &mut Errors) -> Option<Rc<Expr>> {
    parameters.take_expression(key, errors).map(ungroup).map(Rc::new)
}

/// Returns the case of a function without `#[bench]` and `#[benches]`.
pub(crate) fn single_case(target: Target<'_>, defaults: Defaults) -> syn::Result<Case> {
    let function = target.function;
    let throughput = defaults.throughput();
    let Defaults { hooks, size, .. } = defaults;
    let has_inputs = hooks.setup.is_some() && target.subject == Subject::Library;
    if !has_inputs && !function.inputs.is_empty() {
        let message = message::no_arguments(&function.ident, &Receiver::from(function));
        return Err(error(&function.inputs, message));
    }
    Ok(Case {
        id: None,
        inputs: Rc::new(Inputs::Each(Vec::new())),
        constants: Constants::default(),
        hooks,
        config: None,
        limits: Rc::default(),
        throughput,
        size,
        curve: None,
    })
}

/// Parses all `#[bench]` and `#[benches]` in their order.
pub(crate) fn annotated_cases(
    attributes: &[Attribute],
    target: Target<'_>,
    defaults: &Defaults,
    errors: &mut Errors,
) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for attribute in attributes {
        let Some(kind) = Kind::from_attribute(attribute) else { continue };
        let Some(mut annotation) = parse_annotation(kind, attribute, target, errors) else {
            continue;
        };
        annotation.apply(defaults);

        let id = annotation.id.clone();
        for case in annotation.into_cases(target, errors) {
            if let Some(taken) = cases.iter().find_map(|earlier| earlier.shares_id(&case)) {
                errors.push(error(&id, message::duplicate_id(&taken)));
            }
            cases.push(case);
        }
    }
    cases
}

impl Case {
    /// Returns an id that runs of both cases have.
    fn shares_id(&self, other: &Self) -> Option<String> {
        let (id, other_id) = (self.id.as_ref()?, other.id.as_ref()?);
        match (self.inputs.numbers(), other.inputs.numbers()) {
            (_, None) => self.has_id(other_id).then(|| other_id.clone()),
            (None, _) => other.has_id(id).then(|| id.clone()),
            (Some(_), Some(_)) => (id == other_id).then(|| format!("{id}_0")),
        }
    }

    /// Returns `true` if one of the runs has this id.
    fn has_id(&self, id: &str) -> bool {
        let Some(own) = &self.id else { return false };
        let Some(numbers) = self.inputs.numbers() else { return own == id };
        let number = id.strip_prefix(own).and_then(|rest| rest.strip_prefix('_'));
        let number = number.and_then(|number| Some((number, number.parse().ok()?)));
        number.is_some_and(|(text, number)| numbers.contains(&number) && text == number.to_string())
    }
}

fn parse_annotation(
    kind: Kind,
    attribute: &Attribute,
    target: Target<'_>,
    errors: &mut Errors,
) -> Option<Annotation> {
    let id = errors.check(parse_id(kind, attribute))?;
    let mut annotation = Annotation {
        kind,
        id,
        source: Source::Arguments(Vec::new()),
        constants: vec![Constants::default()],
        hooks: Hooks::default(),
        config: None,
        limits: Rc::default(),
        throughput: None,
        size: None,
    };
    let Meta::List(list) = &attribute.meta else { return Some(annotation) };

    let before = errors.len();
    let parsed = list.parse_args_with(|input: ParseStream<'_>| {
        if starts_parameter(input) {
            let mut parameters = kind.syntax().parse(input, errors);
            annotation.config = parameters.take_expression("config", errors).map(Rc::new);
            annotation.throughput =
                take_amount("throughput", &mut parameters, errors).map(Throughput::OfCase);
            annotation.size = take_amount("size", &mut parameters, errors);
            annotation.limits = Rc::new(GrowthLimits::take(&mut parameters, errors));
            annotation.hooks = Hooks::take(&mut parameters, target, errors);
            let split = |value| kind.split_constants(value);
            annotation.constants = Constants::take(&mut parameters, split, errors);
            annotation.source = Source::take(&mut parameters, |args| kind.parse_args(args), errors);
        } else {
            annotation.source = Source::Arguments(parse_plain(input)?);
        }
        Ok(())
    });
    errors.check(parsed);
    // Without the annotation, an error about the number of arguments does not follow
    (errors.len() == before).then_some(annotation)
}

/// Returns the identifier after the `::`.
fn parse_id(kind: Kind, attribute: &Attribute) -> syn::Result<Ident> {
    let name = kind.name();
    let path = attribute.path();
    match &attribute.meta {
        Meta::Path(_) | Meta::List(_) if path.segments.len() == 2 => {
            Ok(path.segments[1].ident.clone())
        }
        Meta::List(list) if path.segments.len() == 1 => {
            Err(error(path, message::missing_id(name, &display(&list.tokens))))
        }
        _ => Err(error(&attribute.meta, message::malformed_id(name))),
    }
}

/// Parses arguments or elements without `args =`.
fn parse_plain(input: ParseStream<'_>) -> syn::Result<Vec<Expr>> {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
    let parameter = list.iter().find(|expression| is_parameter(expression));
    match parameter {
        Some(parameter) => Err(error(parameter, message::MIXED_ARGUMENTS)),
        None => Ok(list.into_iter().collect()),
    }
}

/// Returns `true` for `key = value`, which syn parses as an assignment.
fn is_parameter(expression: &Expr) -> bool {
    matches!(expression, Expr::Assign(ExprAssign { left, .. }) if identifier(left).is_some())
}

impl Annotation {
    /// Takes missing parameters from those of the function.
    fn apply(&mut self, defaults: &Defaults) {
        self.hooks = mem::take(&mut self.hooks).with_defaults(&defaults.hooks);
        self.throughput = self.throughput.take().or_else(|| defaults.throughput());
        self.size = self.size.take().or_else(|| defaults.size.clone());
    }

    fn into_cases(mut self, target: Target<'_>, errors: &mut Errors) -> Vec<Case> {
        let receiver = self.hooks.receiver(target);
        for constants in &self.constants {
            errors.check(constants.check_number(target.function));
        }
        let source = mem::replace(&mut self.source, Source::Arguments(Vec::new()));
        let points = self.points(source, receiver.as_ref(), errors);
        for point in &points {
            errors.check(point.inputs.check_number(&self.id, receiver.as_ref()));
        }
        let Self { constants, hooks, config, limits, throughput, size, .. } = self;
        let case = |(point, constants): (Point, Constants)| Case {
            id: Some(point.id),
            inputs: point.inputs,
            constants,
            hooks: hooks.clone(),
            config: config.clone(),
            limits: Rc::clone(&limits),
            throughput: throughput.clone(),
            size: point.size.or_else(|| size.clone()),
            curve: point.curve,
        };
        points.into_iter().zip(constants.into_iter().cycle()).map(case).collect()
    }

    /// Returns the cases' ids and inputs, each with its place on a growth curve.
    fn points(
        &self,
        source: Source,
        receiver: Option<&Receiver>,
        errors: &mut Errors,
    ) -> Vec<Point> {
        let Self { kind, id, constants, .. } = self;
        let name = id.unraw().to_string();
        let curve = (*kind == Kind::Benches).then(|| name.clone());
        let point = |id, inputs| Point { id, inputs, size: None, curve: curve.clone() };
        if constants.len() > 1 && matches!(source, Source::File(_) | Source::Iter(_)) {
            errors.push(error(id, message::SEVERAL_CONSTS));
        }
        match (kind, source) {
            (Kind::Bench, Source::Arguments(arguments)) => {
                vec![point(name, Rc::new(Inputs::Each(arguments)))]
            }
            (_, Source::Arguments(elements)) if elements.is_empty() => {
                if receiver.is_some_and(|receiver| receiver.number() > 0) {
                    errors.push(error(id, message::NO_ELEMENTS));
                    return Vec::new();
                }
                let id =
                    |index| point(format!("{name}_{index}"), Rc::new(Inputs::Each(Vec::new())));
                (0..constants.len()).map(id).collect()
            }
            (_, Source::Arguments(elements)) => {
                let inputs = |element| Rc::new(Inputs::from_element(element, receiver));
                let inputs: Vec<_> = elements.into_iter().map(inputs).collect();
                let number = inputs.len().max(constants.len());
                let inputs = inputs.into_iter().cycle().take(number).enumerate();
                inputs.map(|(index, inputs)| point(format!("{name}_{index}"), inputs)).collect()
            }
            (_, Source::Matrix(matrix)) => self.matrix_points(&matrix, &name, receiver),
            (_, Source::File(path)) => {
                let inputs = errors.check(Inputs::from_file(&path, receiver));
                inputs.into_iter().map(|inputs| point(name.clone(), Rc::new(inputs))).collect()
            }
            (_, Source::Iter(iter)) => {
                vec![point(name, Rc::new(Inputs::from_iter(iter, receiver)))]
            }
        }
    }

    fn matrix_points(
        &self,
        matrix: &Matrix,
        name: &str,
        receiver: Option<&Receiver>,
    ) -> Vec<Point> {
        let throughput = self.throughput.as_ref().map(Throughput::expression);
        let amounts = Amounts { size: self.size.as_deref(), throughput };
        let point = |element: Element| Point {
            id: element.id,
            inputs: Rc::new(Inputs::from_element(element.expression, receiver)),
            size: element.size.map(Rc::new),
            curve: Some(element.curve),
        };
        let points: Vec<_> =
            matrix.elements(name, receiver, amounts).into_iter().map(point).collect();
        let number = points.len().max(self.constants.len());
        let mut names = Names::default();
        let renamed = |point: Point| Point { id: names.unique(&point.id), ..point };
        points.into_iter().cycle().take(number).map(renamed).collect()
    }
}
