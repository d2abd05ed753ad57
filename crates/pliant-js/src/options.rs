//! Values of JavaScript, checked: every error names the option and what was given.

use std::cell::RefCell;

use js_sys::{Array, ArrayBuffer, Float32Array, Float64Array, Object, Reflect, Uint32Array};
use pliant::math::Vec3;
use wasm_bindgen::{JsCast, JsValue};

use crate::fault::Fault;

type Found<T> = Result<T, Fault>;

/// Numbers that are not 0 have a size between these; engine and options agree on what is a slip of the keyboard.
const SIZES: std::ops::RangeInclusive<f64> = 1e-40..=1e20;
/// Counts up to here are told apart from slips of the keyboard by the engine.
const MOST: f64 = u32::MAX as f64;

/// The options of one object. Each is named when it is asked for; `finish` refuses the others.
pub(crate) struct Options {
    object: JsValue,
    place: String,
    known: RefCell<Vec<&'static str>>,
}

impl Options {
    /// The options of an object, or none if it is undefined.
    pub(crate) fn new(value: &JsValue, place: impl Into<String>) -> Found<Self> {
        let (place, known) = (place.into(), RefCell::default());
        if value.is_undefined() || value.is_null() {
            return Ok(Self { object: JsValue::UNDEFINED, place, known });
        }
        if !value.is_object() || Array::is_array(value) || value.is_function() {
            return Err(Fault::new(format!("{place} is {}, but must be an object of options", shown(value))));
        }
        Ok(Self { object: value.clone(), place, known })
    }

    /// Where an option is, for errors.
    pub(crate) fn place(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// An option as it is; null counts as not given.
    pub(crate) fn given(&self, key: &'static str) -> Found<Option<JsValue>> {
        self.known.borrow_mut().push(key);
        if self.object.is_undefined() {
            return Ok(None);
        }
        let value = Reflect::get(&self.object, &key.into());
        let value = value.map_err(|_| Fault::new(format!("{} cannot be read", self.place(key))))?;
        Ok((!value.is_undefined() && !value.is_null()).then_some(value))
    }

    fn or<T>(&self, key: &'static str, default: T, read: impl Fn(&JsValue, &str) -> Found<T>) -> Found<T> {
        Ok(self.read(key, read)?.unwrap_or(default))
    }

    /// An option that need not be there.
    pub(crate) fn read<T>(&self, key: &'static str, read: impl Fn(&JsValue, &str) -> Found<T>) -> Found<Option<T>> {
        self.given(key)?.map(|value| read(&value, &self.place(key))).transpose()
    }

    /// An option that must be there.
    pub(crate) fn need<T>(&self, key: &'static str, read: impl Fn(&JsValue, &str) -> Found<T>) -> Found<T> {
        self.read(key, read)?.ok_or_else(|| Fault::new(format!("{} is missing", self.place(key))))
    }

    pub(crate) fn number(&self, key: &'static str, default: f64) -> Found<f64> {
        self.or(key, default, number)
    }

    pub(crate) fn count(&self, key: &'static str, default: usize) -> Found<usize> {
        self.or(key, default, count)
    }

    /// A number of iterations: more than this is a slip of the keyboard, and would never end.
    pub(crate) fn iterations(&self, key: &'static str, default: usize) -> Found<usize> {
        const MOST: usize = 1_000_000;
        let found = self.count(key, default)?;
        if found > MOST {
            return Err(Fault::new(format!("{} is {found}, but must be at most {MOST}", self.place(key))));
        }
        Ok(found)
    }

    pub(crate) fn flag(&self, key: &'static str, default: bool) -> Found<bool> {
        self.or(key, default, flag)
    }

    pub(crate) fn vector(&self, key: &'static str, default: Vec3) -> Found<Vec3> {
        self.or(key, default, vector)
    }

    /// One of some names.
    pub(crate) fn choice<T: Copy>(&self, key: &'static str, default: T, known: &[(&str, T)]) -> Found<T> {
        self.or(key, default, |value, place| choose(&text(value, place)?, place, known))
    }

    /// The options within one of these.
    pub(crate) fn inner(&self, key: &'static str) -> Found<Option<Self>> {
        self.read(key, |value, place| Self::new(value, place))
    }

    /// The items of a list.
    pub(crate) fn list<T>(&self, key: &'static str, read: impl Fn(&JsValue, &str) -> Found<T>) -> Found<Vec<T>> {
        Ok(self.read(key, |value, place| items(value, place, &read))?.unwrap_or_default())
    }

    /// Refuses options that nobody asked for.
    pub(crate) fn finish(&self) -> Found<()> {
        let Some(object) = self.object.dyn_ref::<Object>() else { return Ok(()) };
        let known = self.known.borrow();
        for key in Object::keys(object).iter().filter_map(|key| key.as_string()) {
            if !known.contains(&key.as_str()) {
                let place = if self.place.is_empty() { "this".to_owned() } else { self.place.clone() };
                let message = format!("{place} has an unknown option {key:?}; there are {}", known.join(", "));
                return Err(Fault::new(message));
            }
        }
        Ok(())
    }
}

/// A value as an error shows it.
fn shown(value: &JsValue) -> String {
    if let Some(text) = value.as_string() {
        return format!("{text:?}");
    }
    if Array::is_array(value) {
        return format!("a list of {}", Array::from(value).length());
    }
    if value.is_function() {
        return "a function".to_owned();
    }
    // Numbers and the like print themselves; of objects the name of their class is enough.
    if value.is_object() {
        let class = Reflect::get(value, &"constructor".into()).and_then(|class| Reflect::get(&class, &"name".into()));
        return class
            .ok()
            .and_then(|name| name.as_string())
            .map_or("an object".into(), |name| format!("an object ({name})"));
    }
    if let Some(number) = value.as_f64() {
        return number.to_string();
    }
    format!("{value:?}").trim_start_matches("JsValue(").trim_end_matches(')').to_owned()
}

fn refuse<T>(value: &JsValue, place: &str, need: &str) -> Found<T> {
    Err(Fault::new(format!("{place} is {}, but must be {need}", shown(value))))
}

pub(crate) fn number(value: &JsValue, place: &str) -> Found<f64> {
    match value.as_f64() {
        Some(number) if number == 0.0 || SIZES.contains(&number.abs()) => Ok(number),
        Some(_) => refuse(value, place, "0, or of a size from 1e-40 to 1e20"),
        None => refuse(value, place, "a number"),
    }
}

pub(crate) fn count(value: &JsValue, place: &str) -> Found<usize> {
    match value.as_f64() {
        Some(number) if (0.0..=MOST).contains(&number) && number.fract() == 0.0 => Ok(number as usize),
        _ => refuse(value, place, "a whole number, at least 0"),
    }
}

pub(crate) fn index(value: &JsValue, place: &str) -> Found<u32> {
    Ok(count(value, place)? as u32)
}

pub(crate) fn flag(value: &JsValue, place: &str) -> Found<bool> {
    value.as_bool().map_or_else(|| refuse(value, place, "true or false"), Ok)
}

pub(crate) fn text(value: &JsValue, place: &str) -> Found<String> {
    value.as_string().map_or_else(|| refuse(value, place, "a text"), Ok)
}

pub(crate) fn choose<T: Copy>(name: &str, place: &str, known: &[(&str, T)]) -> Found<T> {
    let names = || known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = known.iter().find(|(own, _)| *own == name);
    found.map(|(_, value)| *value).ok_or_else(|| Fault::new(format!("{place} is {name:?}, but there are {}", names())))
}

/// The items of a list, or of an array of numbers.
pub(crate) fn items<T>(value: &JsValue, place: &str, read: impl Fn(&JsValue, &str) -> Found<T>) -> Found<Vec<T>> {
    if !Array::is_array(value) && !ArrayBuffer::is_view(value) {
        return refuse(value, place, "a list");
    }
    Array::from(value).iter().enumerate().map(|(k, item)| read(&item, &format!("{place}[{k}]"))).collect()
}

/// Numbers of a list or an array of numbers.
pub(crate) fn numbers(value: &JsValue, place: &str) -> Found<Vec<f64>> {
    let all = if let Some(array) = value.dyn_ref::<Float64Array>() {
        array.to_vec()
    } else if let Some(array) = value.dyn_ref::<Float32Array>() {
        array.to_vec().into_iter().map(f64::from).collect()
    } else {
        return items(value, place, number);
    };
    match all.iter().position(|x| *x != 0.0 && !SIZES.contains(&x.abs())) {
        Some(k) => number(&all[k].into(), &format!("{place}[{k}]")).map(|_| all),
        None => Ok(all),
    }
}

/// Points, either three numbers after three numbers or a list of lists of three.
pub(crate) fn points(value: &JsValue, place: &str) -> Found<Vec<Vec3>> {
    if Array::is_array(value) && Array::is_array(&Array::from(value).get(0)) {
        return items(value, place, vector);
    }
    let all = numbers(value, place)?;
    let (points, rest) = all.as_chunks::<3>();
    if rest.is_empty() {
        return Ok(points.iter().map(|p| Vec3::from_array(*p)).collect());
    }
    Err(Fault::new(format!("{place} has {} numbers, but must have three for each point", all.len())))
}

pub(crate) fn vector(value: &JsValue, place: &str) -> Found<Vec3> {
    let all = numbers(value, place)?;
    let [x, y, z] = all[..] else {
        return Err(Fault::new(format!("{place} has {} numbers, but must have three", all.len())));
    };
    Ok(Vec3::new(x, y, z))
}

/// Indices of a list or an array of numbers.
pub(crate) fn indices(value: &JsValue, place: &str) -> Found<Vec<u32>> {
    match value.dyn_ref::<Uint32Array>() {
        Some(array) => Ok(array.to_vec()),
        None => items(value, place, index),
    }
}

/// Elements with N corners each, one after the other.
pub(crate) fn elements<const N: usize>(value: &JsValue, place: &str) -> Found<Vec<[u32; N]>> {
    let all = indices(value, place)?;
    let (elements, rest) = all.as_chunks::<N>();
    if rest.is_empty() {
        return Ok(elements.to_vec());
    }
    Err(Fault::new(format!("{place} has {} indices, but must have {N} for each element", all.len())))
}

/// An object of values.
pub(crate) fn object<'a>(values: impl IntoIterator<Item = (&'a str, JsValue)>) -> JsValue {
    let object = Object::new();
    for (key, value) in values {
        // Setting a property of an object of our own cannot fail.
        let _ = Reflect::set(&object, &key.into(), &value);
    }
    object.into()
}
