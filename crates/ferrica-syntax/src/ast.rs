//! The syntax tree of Modelica 3.6.
//!
//! In: nothing, these are the data types that the parser fills. Out: a plain owned tree, one per
//! source text, that knows nothing of other files.
//!
//! Invariants:
//! - every node has the [`Span`] of the text it was read from;
//! - a component clause `Real x, y[2]` becomes one [`Element`] per declared component;
//! - names are interned without interpretation: a quoted identifier keeps its quotes, because
//!   `'x'` and `x` are different names;
//! - string values are unescaped, adjacent string comments (`"a" + "b"`) are concatenated;
//! - an [`Expr`] is 32 bytes, so a literal array of n numbers costs 32 n bytes.

mod expr;

use std::sync::Arc;

use ferrica_ir::{Span, Symbol};

pub use expr::{
    BinaryOp, Call, CallArgs, ComponentRef, Comprehension, Expr, ExprKind, IfExpr, NamedArg,
    RangeExpr, RefPart, Subscript, UnaryOp,
};

/// One source text: `within P; model A … end A; model B … end B;`.
#[derive(Clone, Debug, Default)]
pub struct StoredDefinition {
    /// `within;` (top level, stated) is `Some` with an empty name.
    pub within: Option<Name>,
    pub classes: Vec<Arc<ClassDef>>,
}

/// A dotted name such as `.Modelica.Units.SI.Voltage`.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// Starts with a dot: looked up from the top level.
    pub global: bool,
    pub parts: Vec<Symbol>,
    pub span: Span,
}

impl Name {
    /// The last identifier, if the name is not empty.
    pub fn last(&self) -> Option<Symbol> {
        self.parts.last().copied()
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.global {
            f.write_str(".")?;
        }
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            f.write_str(part.as_str())?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    Class,
    Model,
    Record,
    OperatorRecord,
    Block,
    Connector,
    ExpandableConnector,
    Type,
    Package,
    Function,
    OperatorFunction,
    Operator,
}

impl ClassKind {
    /// The keywords of the kind, as written.
    pub fn keywords(self) -> &'static str {
        match self {
            ClassKind::Class => "class",
            ClassKind::Model => "model",
            ClassKind::Record => "record",
            ClassKind::OperatorRecord => "operator record",
            ClassKind::Block => "block",
            ClassKind::Connector => "connector",
            ClassKind::ExpandableConnector => "expandable connector",
            ClassKind::Type => "type",
            ClassKind::Package => "package",
            ClassKind::Function => "function",
            ClassKind::OperatorFunction => "operator function",
            ClassKind::Operator => "operator",
        }
    }

    pub fn is_function(self) -> bool {
        matches!(self, ClassKind::Function | ClassKind::OperatorFunction)
    }

    pub fn is_record(self) -> bool {
        matches!(self, ClassKind::Record | ClassKind::OperatorRecord)
    }

    pub fn is_connector(self) -> bool {
        matches!(self, ClassKind::Connector | ClassKind::ExpandableConnector)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    Pure,
    Impure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Visibility {
    #[default]
    Public,
    Protected,
}

/// The words in front of an element. A class that is an element carries a copy of them, so that
/// they are known when only the [`ClassDef`] is at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ElementPrefixes {
    pub visibility: Visibility,
    pub redeclare: bool,
    pub is_final: bool,
    pub inner: bool,
    pub outer: bool,
    pub replaceable: bool,
}

#[derive(Clone, Debug)]
pub struct ClassDef {
    pub name: Symbol,
    pub name_span: Span,
    pub kind: ClassKind,
    pub partial: bool,
    pub encapsulated: bool,
    /// Prefixes of the element that this class is; default (but for `is_final`) at the top level.
    pub prefixes: ElementPrefixes,
    pub purity: Option<Purity>,
    pub body: ClassBody,
    /// The description string.
    pub comment: Option<Box<str>>,
    pub annotation: Option<Box<Annotation>>,
    pub constrained_by: Option<Box<ConstrainedBy>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ClassBody {
    Long(Box<LongBody>),
    Short(Box<ShortBody>),
    /// `type T = enumeration(a, b)`.
    Enumeration(Vec<EnumLiteral>),
    /// `type T = enumeration(:)`.
    UnspecifiedEnumeration,
    /// `function g = der(f, x, y)`.
    Der(Box<DerBody>),
}

#[derive(Clone, Debug, Default)]
pub struct LongBody {
    /// Modifiers of `model extends X(…)`; `Some` exactly when the class is written so. The name
    /// that is extended is the name of the class.
    pub class_extends: Option<Modification>,
    pub elements: Vec<Element>,
    pub equations: Vec<Equation>,
    pub initial_equations: Vec<Equation>,
    pub algorithms: Vec<AlgorithmSection>,
    pub initial_algorithms: Vec<AlgorithmSection>,
    pub external: Option<Box<ExternalDecl>>,
}

/// `type X = input Base[n](mods)`.
#[derive(Clone, Debug)]
pub struct ShortBody {
    pub prefixes: TypePrefixes,
    pub base: Name,
    pub subscripts: Vec<Subscript>,
    pub modification: Option<Modification>,
}

#[derive(Clone, Debug)]
pub struct DerBody {
    pub function: Name,
    pub variables: Vec<Symbol>,
}

#[derive(Clone, Debug)]
pub struct EnumLiteral {
    pub name: Symbol,
    pub comment: Comment,
    pub span: Span,
}

/// `external "C" y = f(a, b) annotation(…)`.
#[derive(Clone, Debug)]
pub struct ExternalDecl {
    /// `"C"`, `"FORTRAN 77"`, `"builtin"`; `None` means C.
    pub language: Option<Box<str>>,
    pub output: Option<ComponentRef>,
    /// `None`: the function is called by the name of the Modelica function.
    pub function: Option<Symbol>,
    pub args: Vec<Expr>,
    pub annotation: Option<Box<Annotation>>,
    pub span: Span,
}

/// A description string and an annotation, each if present.
#[derive(Clone, Debug, Default)]
pub struct Comment {
    pub text: Option<Box<str>>,
    pub annotation: Option<Box<Annotation>>,
}

/// `annotation(args)`.
#[derive(Clone, Debug, Default)]
pub struct Annotation {
    pub args: Vec<Argument>,
    pub span: Span,
}

/// `constrainedby Base(mods)`.
#[derive(Clone, Debug)]
pub struct ConstrainedBy {
    pub name: Name,
    pub modification: Option<Modification>,
    pub comment: Comment,
    pub span: Span,
}

/// One declaration of a class body.
#[derive(Clone, Debug)]
pub struct Element {
    pub kind: ElementKind,
    pub prefixes: ElementPrefixes,
    /// Of a replaceable component; a replaceable class has it in its [`ClassDef`].
    /// [`Element::constraint`] returns the one that applies.
    pub constrained_by: Option<Box<ConstrainedBy>>,
    /// Description and annotation of an import, extends or component; a class has its own.
    pub comment: Comment,
    pub span: Span,
}

impl Element {
    /// The `constrainedby` clause of a replaceable class or component.
    pub fn constraint(&self) -> Option<&ConstrainedBy> {
        match &self.kind {
            ElementKind::Class(class) => class.constrained_by.as_deref(),
            _ => self.constrained_by.as_deref(),
        }
    }

    /// The name that the element declares; none for imports and extends clauses.
    pub fn declared_name(&self) -> Option<Symbol> {
        match &self.kind {
            ElementKind::Class(class) => Some(class.name),
            ElementKind::Component(component) => Some(component.name),
            ElementKind::Import(_) | ElementKind::Extends(_) => None,
        }
    }

    pub fn is_protected(&self) -> bool {
        self.prefixes.visibility == Visibility::Protected
    }
}

#[derive(Clone, Debug)]
pub enum ElementKind {
    Import(Import),
    Extends(Box<Extends>),
    /// Shared, so that a class tree can hold on to single classes.
    Class(Arc<ClassDef>),
    Component(Box<Component>),
}

#[derive(Clone, Debug)]
pub enum Import {
    /// `import A.B.C;`
    Qualified(Name),
    /// `import D = A.B.C;`
    Renamed { alias: Symbol, name: Name },
    /// `import A.B.*;`
    Unqualified(Name),
    /// `import A.B.{C, D};`
    List { package: Name, names: Vec<Symbol> },
}

#[derive(Clone, Debug)]
pub struct Extends {
    pub name: Name,
    pub modification: Option<Modification>,
    pub breaks: Vec<Deselection>,
}

/// `break x` or `break connect(a, b)` in the modifiers of an extends clause.
#[derive(Clone, Debug)]
pub struct Deselection {
    pub kind: DeselectionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DeselectionKind {
    Component(Symbol),
    Connection(ComponentRef, ComponentRef),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowPrefix {
    Flow,
    Stream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    Constant,
    Parameter,
    Discrete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    Input,
    Output,
}

/// `flow`/`stream`, `constant`/`parameter`/`discrete`, `input`/`output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TypePrefixes {
    pub flow: Option<FlowPrefix>,
    pub variability: Option<Variability>,
    pub causality: Option<Causality>,
}

/// One declared component. `parameter Real[3] x[2](start = 1) = v if c` has the type subscripts
/// `[3]` and the subscripts `[2]`; the dimensions of `x` are `[2, 3]`.
#[derive(Clone, Debug)]
pub struct Component {
    pub prefixes: TypePrefixes,
    pub type_name: Name,
    pub type_subscripts: Vec<Subscript>,
    pub name: Symbol,
    pub name_span: Span,
    pub subscripts: Vec<Subscript>,
    pub modification: Option<Modification>,
    pub condition: Option<Expr>,
}

/// `(args) = value`.
#[derive(Clone, Debug, Default)]
pub struct Modification {
    pub args: Vec<Argument>,
    pub value: Option<Expr>,
    /// Written with `:=` instead of `=`.
    pub assigned: bool,
    /// `= break`: removes a default binding.
    pub is_break: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Argument {
    Modifier(Modifier),
    /// `redeclare model M = N` or `replaceable model M = N`.
    RedeclareClass(Box<Redeclaration>),
    /// `redeclare T x` or `replaceable T x`.
    RedeclareComponent(Box<Redeclaration>),
}

impl Argument {
    pub fn span(&self) -> Span {
        match self {
            Argument::Modifier(m) => m.span,
            Argument::RedeclareClass(r) | Argument::RedeclareComponent(r) => r.element.span,
        }
    }
}

/// `each final a.b.c(…) = value "comment"`.
#[derive(Clone, Debug)]
pub struct Modifier {
    /// At least one identifier.
    pub path: Vec<Symbol>,
    pub each: bool,
    pub is_final: bool,
    pub modification: Option<Modification>,
    pub comment: Option<Box<str>>,
    pub span: Span,
}

/// The element has the prefixes `redeclare`, `final` and `replaceable`, and the constraint.
#[derive(Clone, Debug)]
pub struct Redeclaration {
    pub each: bool,
    pub element: Element,
}

#[derive(Clone, Debug)]
pub struct Equation {
    pub kind: EquationKind,
    pub comment: Comment,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum EquationKind {
    Eq(Expr, Expr),
    If(Box<IfEquation>),
    For(Box<ForEquation>),
    /// `when` and its `elsewhen` branches, in order.
    When(Vec<EquationBranch>),
    Connect(ComponentRef, ComponentRef),
    /// A call without value: `assert`, `terminate`, `reinit`, `Connections.branch`, …
    Call(Expr),
}

#[derive(Clone, Debug)]
pub struct IfEquation {
    pub branches: Vec<EquationBranch>,
    pub else_equations: Vec<Equation>,
}

#[derive(Clone, Debug)]
pub struct EquationBranch {
    pub condition: Expr,
    pub equations: Vec<Equation>,
}

#[derive(Clone, Debug)]
pub struct ForEquation {
    pub iterators: Vec<ForIterator>,
    pub equations: Vec<Equation>,
}

/// `i in range`, or `i` alone when the range follows from the use of `i`.
#[derive(Clone, Debug)]
pub struct ForIterator {
    pub name: Symbol,
    pub range: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct AlgorithmSection {
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub comment: Comment,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Assign(ComponentRef, Expr),
    /// `(a, , b) := f(x)`; the right side is a call.
    TupleAssign(Vec<Option<ComponentRef>>, Expr),
    Call(Expr),
    If(Box<IfStatement>),
    For(Box<ForStatement>),
    While(Box<StatementBranch>),
    When(Vec<StatementBranch>),
    Break,
    Return,
}

#[derive(Clone, Debug)]
pub struct IfStatement {
    pub branches: Vec<StatementBranch>,
    pub else_statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct StatementBranch {
    pub condition: Expr,
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct ForStatement {
    pub iterators: Vec<ForIterator>,
    pub statements: Vec<Statement>,
}

fn find_modifier<'a>(args: &'a [Argument], name: &str) -> Option<&'a Modifier> {
    args.iter().find_map(|arg| match arg {
        Argument::Modifier(m) if m.path.len() == 1 && m.path[0].as_str() == name => Some(m),
        _ => None,
    })
}

impl Annotation {
    /// The argument with that name, as `experiment` in `annotation(experiment(StopTime = 1))`.
    pub fn find(&self, name: &str) -> Option<&Modifier> {
        find_modifier(&self.args, name)
    }
}

impl Modification {
    /// The modifier of that name among the arguments.
    pub fn find(&self, name: &str) -> Option<&Modifier> {
        find_modifier(&self.args, name)
    }
}

impl Modifier {
    /// The modifier of that name among the arguments of this one.
    pub fn find(&self, name: &str) -> Option<&Modifier> {
        self.modification.as_ref()?.find(name)
    }

    /// The value behind `=`.
    pub fn value(&self) -> Option<&Expr> {
        self.modification.as_ref()?.value.as_ref()
    }

    /// The value, when it is a string literal.
    pub fn string(&self) -> Option<&str> {
        match &self.value()?.kind {
            ExprKind::Str(text) => Some(text),
            _ => None,
        }
    }
}

impl ClassDef {
    /// The elements of a class written in the long form, none otherwise.
    pub fn elements(&self) -> &[Element] {
        match &self.body {
            ClassBody::Long(body) => &body.elements,
            _ => &[],
        }
    }

    pub fn long(&self) -> Option<&LongBody> {
        match &self.body {
            ClassBody::Long(body) => Some(body),
            _ => None,
        }
    }
}
