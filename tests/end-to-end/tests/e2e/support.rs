//! The support library of these tests: what it rejects and what it leaves as it is.

use end_to_end_tests::{Schema, redact};
use serde_json::{Value, json};

#[test]
fn widths_stay() {
    let line = |new, old| format!("  Instructions:    {new:>16}|{old:<16}(+1.00000%)");
    assert_eq!(redact(&line("1734", "1700"), &[(1733, 1733)]), line("1733", "1733") + "\n");
    assert_eq!(redact(&line("1774", "1692"), &[(1733, 1733)]), line("#", "#") + "\n");
    assert_eq!(redact(&line("1279", "900"), &[(1279, 1733)]), line("1733", "#") + "\n");
    assert_eq!(redact(&line("1733", "N/A"), &[]), line("#", "N/A") + "\n");
}

#[test]
fn only_seconds_as_documented_are_hidden() {
    assert_eq!(redact("2 ran in 12.34 s", &[]), "2 ran in #.## s\n");
    for other in ["2 ran in 12.3 s", "2 ran in 12.34 seconds", "2 ran in  s", "2 ran in .12 s"] {
        assert_eq!(redact(other, &[]), format!("{other}\n"));
    }
}

fn errors(schema: &Value, instance: &Value) -> Vec<String> {
    Schema::parse(&schema.to_string()).errors(instance)
}

#[test]
fn each_keyword_is_validated() {
    for (schema, valid, invalid) in [
        (json!({"type": "integer"}), json!(1.0), json!(1.5)),
        (json!({"type": ["null", "string"]}), json!(null), json!(1)),
        (json!({"enum": ["a", 2]}), json!(2), json!("b")),
        (json!({"const": 1}), json!(1), json!(2)),
        (json!({"anyOf": [{"type": "null"}, {"minimum": 3}]}), json!(4), json!(2)),
        (json!({"oneOf": [{"minimum": 1}, {"minimum": 3}]}), json!(2), json!(4)),
        (json!({"maximum": 3}), json!(3), json!(4)),
        (json!({"minItems": 1, "maxItems": 2}), json!([1]), json!([1, 2, 3])),
        (json!({"required": ["a"]}), json!({"a": null}), json!({"b": 1})),
        (json!({"items": {"type": "null"}}), json!([null]), json!([null, 1])),
        (json!({"additionalProperties": false}), json!({}), json!({"a": 1})),
        (
            json!({"properties": {"a": {"$ref": "#/$defs/number"}},
                   "$defs": {"number": {"type": "number"}}}),
            json!({"a": 1, "b": "c"}),
            json!({"a": "c"}),
        ),
    ] {
        assert_eq!(errors(&schema, &valid), [""; 0], "{schema}");
        assert_eq!(errors(&schema, &invalid).len(), 1, "{schema}");
    }
}

#[test]
fn errors_have_a_path() {
    let schema = json!({"additionalProperties": {"items": {"type": "null"}}});
    let expected = ["/a/1: 7 violates type: \"null\""];
    assert_eq!(errors(&schema, &json!({"a": [null, 7]})), expected);
}

#[test]
#[should_panic(expected = "unknown keyword pattern")]
fn an_unknown_keyword_is_rejected() {
    let _ = Schema::parse(r#"{"properties": {"a": {"pattern": "x"}}}"#);
}
