//! `verify program_interface_query`: properties of an interface and its resources.

use program::Program;
use script::{InterfaceQuery, InterfaceQuestion, QueryValue, ResourceKey};

use super::answer::{Answer, count, expect};
use super::interfaces::{Resource, resources};
use crate::front::unsupported;
use crate::machines::session::Flow;
use results::verdict::{Phase, Verdict};

/// Answers a question. `binding` is that of the last `block binding`, which is the key of a
/// block of SPIR-V: these need not have names.
pub(super) fn ask(program: &Program, query: &InterfaceQuery<'_>, binding: Option<u32>) -> Flow {
    let interface = query.interface;
    let is_block = matches!(interface.short_name(), "UNIFORM_BLOCK" | "SHADER_STORAGE_BLOCK");
    let key = |key| match (key, binding) {
        (ResourceKey::Name(_), Some(binding)) if is_block => {
            ResourceKey::Binding(i32::try_from(binding).unwrap_or(-1))
        }
        _ => key,
    };
    let Some(resources) = resources(program, interface.short_name()) else {
        return Err(unsupported(&format!("the program interface {interface} is")));
    };
    let missing = |what: &str| Verdict::fail(Phase::Probe, format!("{interface} has no {what}"));
    match query.question {
        InterfaceQuestion::Whole { property, value } => {
            let found = whole(&resources, property.short_name())
                .ok_or_else(|| missing(&format!("property {property}")))?;
            expect(found, QueryValue::Integer(value), &format!("{interface} {property}"))
        }
        InterfaceQuestion::Property { resource, property, value } => {
            let found = select(program, &resources, key(resource))
                .ok_or_else(|| missing(&format!("resource {resource}")))?;
            let answer = found.property(property.short_name()).cloned();
            let answer =
                answer.ok_or_else(|| missing(&format!("property {property} of its resources")))?;
            expect(answer, value, &format!("{interface} {resource} {property}"))
        }
        InterfaceQuestion::Name { resource, name } => {
            let found = select(program, &resources, key(resource))
                .ok_or_else(|| missing(&format!("resource {resource}")))?;
            if found.name == name {
                return Ok(());
            }
            let what = format!("{interface} {resource}");
            Err(Verdict::fail(
                Phase::Probe,
                format!("{what}: expected name `{name}`, got `{}`", found.name),
            ))
        }
        InterfaceQuestion::Index { name, index } => {
            let found = resources.iter().position(|r| element(r, name) == Some(0));
            if found == index.map(|i| i as usize) {
                return Ok(());
            }
            let shown =
                |i: Option<usize>| i.map_or("GL_INVALID_INDEX".to_owned(), |i| i.to_string());
            let (wanted, found) = (shown(index.map(|i| i as usize)), shown(found));
            Err(Verdict::fail(
                Phase::Probe,
                format!("index of `{name}`: expected {wanted}, got {found}"),
            ))
        }
        InterfaceQuestion::Location { name, location } => {
            let found = integer_of(&resources, name, "LOCATION")
                .map_or(-1, |(first, element)| if first < 0 { -1 } else { first + element });
            expect(
                Answer::Integer(found),
                QueryValue::Integer(location),
                &format!("location of `{name}`"),
            )
        }
        InterfaceQuestion::LocationIndex { name, index } => {
            let found =
                integer_of(&resources, name, "LOCATION_INDEX").map_or(-1, |(index, _)| index);
            let what = format!("color index of `{name}`");
            expect(Answer::Integer(found), QueryValue::Integer(index), &what)
        }
    }
}

/// Returns a property of an interface: the number of its resources, or the largest value of one of
/// their properties. `None` for names where resources have none.
fn whole(resources: &[Resource], property: &str) -> Option<Answer> {
    let largest = |property: &str| {
        let all = resources.iter().map(|r| r.integer(property));
        all.collect::<Option<Vec<i64>>>()
            .map(|all| Answer::Integer(all.into_iter().max().unwrap_or(0)))
    };
    match property {
        "ACTIVE_RESOURCES" => Some(count(resources.len())),
        other => largest(other.strip_prefix("MAX_")?),
    }
}

fn select<'r>(
    program: &Program,
    resources: &'r [Resource],
    key: ResourceKey<'_>,
) -> Option<&'r Resource> {
    let with = |wanted: &[(&str, i64)]| {
        resources
            .iter()
            .find(|r| wanted.iter().all(|&(property, value)| r.integer(property) == Some(value)))
    };
    match key {
        ResourceKey::Name(name) => resources.iter().find(|r| r.name == name),
        ResourceKey::Component { location, component } => {
            with(&[("LOCATION", location.into()), ("LOCATION_COMPONENT", component.into())])
        }
        ResourceKey::Location(location) => with(&[("LOCATION", location.into())]),
        ResourceKey::Binding(binding) => with(&[("BUFFER_BINDING", binding.into())]),
        ResourceKey::Member { binding, offset, atomic } => {
            let (owners, index) = match resources.first()? {
                _ if atomic => ("ATOMIC_COUNTER_BUFFER", "ATOMIC_COUNTER_BUFFER_INDEX"),
                first if first.integer("TRANSFORM_FEEDBACK_BUFFER_INDEX").is_some() => {
                    ("TRANSFORM_FEEDBACK_BUFFER", "TRANSFORM_FEEDBACK_BUFFER_INDEX")
                }
                first if first.integer("TOP_LEVEL_ARRAY_SIZE").is_some() => {
                    ("SHADER_STORAGE_BLOCK", "BLOCK_INDEX")
                }
                _ => ("UNIFORM_BLOCK", "BLOCK_INDEX"),
            };
            let owners = super::interfaces::resources(program, owners)?;
            let owner =
                owners.iter().position(|r| r.integer("BUFFER_BINDING") == Some(binding.into()))?;
            with(&[(index, owner as i64), ("OFFSET", offset.into())])
        }
    }
}

/// Returns the element of a resource that a name means: 0 for its own name and that of its array
/// (OpenGL 4.6 section 7.3.1.1). An empty name means none.
fn element(resource: &Resource, name: &str) -> Option<i64> {
    if name.is_empty() {
        return None;
    }
    if resource.name == name {
        return Some(0);
    }
    let array = resource.name.strip_suffix("[0]")?;
    let rest = name.strip_prefix(array)?;
    if rest.is_empty() {
        return Some(0);
    }
    let element: i64 = rest.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
    (element >= 0 && element < resource.integer("ARRAY_SIZE")?).then_some(element)
}

/// Returns a property of the resource with a name, and the element that the name means.
fn integer_of(resources: &[Resource], name: &str, property: &str) -> Option<(i64, i64)> {
    resources.iter().find_map(|r| Some((r.integer(property)?, element(r, name)?)))
}
