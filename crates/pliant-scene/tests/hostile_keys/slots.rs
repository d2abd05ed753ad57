//! Where the keys of the schema stand in scenes: for each table that a scene has, all keys that it may have.

use std::collections::BTreeSet;

use serde_json::Value;

/// A key of a scene: one that is there, or one that its table may have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    /// The key in the schema, such as `ClothSection.density`.
    pub(crate) key: String,
    /// Keys and places in lists from the top of the scene.
    pub(crate) path: Vec<String>,
    /// Whether its value is a list of numbers.
    pub(crate) is_vector: bool,
}

/// The schema of scene files.
pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn new() -> Self {
        Self(serde_json::from_str(&pliant_scene::json_schema()).unwrap())
    }

    /// All keys of all tables.
    pub(crate) fn keys(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        let named = self.0["$defs"].as_object().unwrap().iter();
        for (name, definition) in named.map(|(name, definition)| (name.as_str(), definition)).chain([("", &self.0)]) {
            for key in definition["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
                keys.insert(format!("{name}.{key}"));
            }
            for option in definition["oneOf"].as_array().into_iter().flatten() {
                for (variant, inner) in option["properties"].as_object().into_iter().flatten() {
                    keys.insert(format!("{name}.{variant}"));
                    for key in inner["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
                        keys.insert(format!("{name}.{variant}.{key}"));
                    }
                }
            }
        }
        keys
    }

    /// The slots of a scene, those of equal entries of lists once.
    pub(crate) fn slots(&self, scene: &Value) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.walk("", &self.0, scene, &mut Vec::new(), &mut slots);
        let mut seen = BTreeSet::new();
        let is_index = |part: &String| part.parse::<usize>().is_ok();
        slots.retain(|slot| {
            let general: Vec<String> = slot.path.iter().filter(|part| !is_index(part)).cloned().collect();
            // Bodies differ in what they are made of.
            let body = slot.path.iter().take(2).filter(|_| slot.path[0] == "body").cloned().collect::<Vec<_>>();
            seen.insert((slot.key.clone(), general, body, slot.path.last().is_some_and(is_index)))
        });
        slots
    }

    /// Follows a reference, and the one option that is not "nothing".
    fn resolve<'a>(&'a self, name: &str, schema: &'a Value) -> (String, &'a Value) {
        if let Some(options) = schema["anyOf"].as_array() {
            let real = options.iter().find(|option| option["type"] != "null").unwrap();
            return self.resolve(name, real);
        }
        match schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            Some(referred) => self.resolve(referred, &self.0["$defs"][referred]),
            None => (name.to_owned(), schema),
        }
    }

    fn walk(&self, name: &str, schema: &Value, value: &Value, path: &mut Vec<String>, slots: &mut Vec<Slot>) {
        let (name, schema) = self.resolve(name, schema);
        self.walk_table(&name, schema, value, path, slots);
        for option in schema["oneOf"].as_array().into_iter().flatten() {
            for (variant, inner) in option["properties"].as_object().into_iter().flatten() {
                let Some(chosen) = value.get(variant) else { continue };
                let key = format!("{name}.{variant}");
                path.push(variant.clone());
                slots.push(self.slot(key.clone(), path, inner));
                self.walk(&key, inner, chosen, path, slots);
                path.pop();
            }
        }
        if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
            for (k, item) in list.iter().enumerate() {
                path.push(k.to_string());
                slots.push(self.slot(format!("{name}[]"), path, items));
                self.walk(&name, items, item, path, slots);
                path.pop();
            }
        }
        if let (Some(any), Some(table)) = (schema.get("additionalProperties"), value.as_object()) {
            for (key, _) in table.iter().filter(|_| any.is_object()) {
                path.push(key.clone());
                slots.push(self.slot(format!("{name}{{}}"), path, any));
                path.pop();
            }
        }
    }

    fn walk_table(&self, name: &str, schema: &Value, value: &Value, path: &mut Vec<String>, slots: &mut Vec<Slot>) {
        let Some(properties) = schema["properties"].as_object().filter(|_| value.is_object()) else { return };
        for (key, inner) in properties {
            path.push(key.clone());
            slots.push(self.slot(format!("{name}.{key}"), path, inner));
            if let Some(found) = value.get(key) {
                self.walk(&format!("{name}.{key}"), inner, found, path, slots);
            }
            path.pop();
        }
    }

    fn slot(&self, key: String, path: &[String], schema: &Value) -> Slot {
        let (_, schema) = self.resolve("", schema);
        let has_type = |schema: &Value, name: &str| match &schema["type"] {
            Value::Array(names) => names.iter().any(|other| other == name),
            other => other == name,
        };
        let items = &schema["items"];
        let is_vector = has_type(schema, "array") && (has_type(items, "number") || has_type(items, "integer"));
        Slot { key, path: path.to_vec(), is_vector }
    }
}
