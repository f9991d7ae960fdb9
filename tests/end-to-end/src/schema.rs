//! Validates JSON against a JSON schema, independently of what made the schema.

use serde_json::{Map, Value};

/// Keywords that say nothing about an instance.
const ANNOTATIONS: [&str; 7] =
    ["$schema", "$id", "$defs", "title", "description", "default", "format"];

/// A schema of draft 2020-12, as far as the schema of the machine-readable output needs the draft.
#[derive(Debug)]
pub struct Schema(Value);

impl Schema {
    /// Reads a schema.
    ///
    /// # Panics
    ///
    /// If the schema has a keyword that this validator does not know.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let schema = Self(serde_json::from_str(text).expect("the schema is JSON"));
        schema.check_keywords(&schema.0);
        schema
    }

    /// Returns the violations in an instance, each with its path.
    #[must_use]
    pub fn errors(&self, instance: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.validate(&self.0, instance, "", &mut errors);
        errors
    }

    /// Demands that each keyword of a schema and of the schemas in it is known, so that none is ignored.
    fn check_keywords(&self, schema: &Value) {
        let Value::Object(schema) = schema else {
            assert!(schema.is_boolean(), "not a schema: {schema}");
            return;
        };
        for (keyword, value) in schema {
            match &**keyword {
                "properties" | "$defs" => {
                    for schema in value.as_object().expect("schemas by name").values() {
                        self.check_keywords(schema);
                    }
                }
                "anyOf" | "oneOf" => {
                    for schema in value.as_array().expect("a list of schemas") {
                        self.check_keywords(schema);
                    }
                }
                "items" | "additionalProperties" => self.check_keywords(value),
                "$ref" => assert!(self.definition(value).is_some(), "{value} leads nowhere"),
                "type" | "required" | "enum" | "const" | "minimum" | "maximum" | "minItems"
                | "maxItems" => {}
                keyword => assert!(ANNOTATIONS.contains(&keyword), "unknown keyword {keyword}"),
            }
        }
    }

    /// Returns the schema that a `$ref` names: a pointer into this document.
    fn definition(&self, reference: &Value) -> Option<&Value> {
        self.0.pointer(reference.as_str()?.strip_prefix('#')?)
    }

    fn is_valid(&self, schema: &Value, instance: &Value) -> bool {
        let mut errors = Vec::new();
        self.validate(schema, instance, "", &mut errors);
        errors.is_empty()
    }

    fn validate(&self, schema: &Value, instance: &Value, path: &str, errors: &mut Vec<String>) {
        let Value::Object(keywords) = schema else {
            if *schema == Value::Bool(false) {
                errors.push(format!("{path}: nothing is allowed here"));
            }
            return;
        };
        for (keyword, value) in keywords {
            let count_valid = || {
                let schemas = value.as_array().into_iter().flatten();
                schemas.filter(|schema| self.is_valid(schema, instance)).count()
            };
            let limit = || value.as_f64().zip(instance.as_f64());
            let length = || value.as_u64().zip(instance.as_array().map(|items| items.len() as u64));
            let is_valid = match &**keyword {
                "type" => match value {
                    Value::Array(types) => types.iter().any(|name| has_type(instance, name)),
                    name => has_type(instance, name),
                },
                "enum" => value.as_array().is_some_and(|values| values.contains(instance)),
                "const" => value == instance,
                "anyOf" => count_valid() > 0,
                "oneOf" => count_valid() == 1,
                "minimum" => limit().is_none_or(|(limit, number)| number >= limit),
                "maximum" => limit().is_none_or(|(limit, number)| number <= limit),
                "minItems" => length().is_none_or(|(limit, length)| length >= limit),
                "maxItems" => length().is_none_or(|(limit, length)| length <= limit),
                "required" => instance.as_object().is_none_or(|object| has_all(object, value)),
                "$ref" => {
                    let definition = self.definition(value).expect("the reference was checked");
                    self.validate(definition, instance, path, errors);
                    true
                }
                _ => true,
            };
            if !is_valid {
                errors.push(format!("{path}: {instance} violates {keyword}: {value}"));
            }
        }
        self.validate_children(keywords, instance, path, errors);
    }

    /// Validates the members of an object and the items of an array.
    fn validate_children(
        &self,
        keywords: &Map<String, Value>,
        instance: &Value,
        path: &str,
        errors: &mut Vec<String>,
    ) {
        for (name, value) in instance.as_object().into_iter().flatten() {
            let property = keywords.get("properties").and_then(|schemas| schemas.get(name));
            if let Some(schema) = property.or_else(|| keywords.get("additionalProperties")) {
                self.validate(schema, value, &format!("{path}/{name}"), errors);
            }
        }
        if let (Some(schema), Some(items)) = (keywords.get("items"), instance.as_array()) {
            for (index, item) in items.iter().enumerate() {
                self.validate(schema, item, &format!("{path}/{index}"), errors);
            }
        }
    }
}

fn has_type(instance: &Value, name: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "null" => instance.is_null(),
        "boolean" => instance.is_boolean(),
        "string" => instance.is_string(),
        "array" => instance.is_array(),
        "object" => instance.is_object(),
        "number" => instance.is_number(),
        "integer" => instance.as_f64().is_some_and(|number| number.fract() == 0.0),
        name => panic!("unknown type {name}"),
    }
}

fn has_all(object: &Map<String, Value>, names: &Value) -> bool {
    let mut names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.all(|name| object.contains_key(name))
}
