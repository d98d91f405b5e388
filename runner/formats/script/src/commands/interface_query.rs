//! `verify program_interface_query` and its forms.

use std::fmt;

use super::arguments::Arguments;
use super::query_value::{QueryValue, value};
use crate::enums::{GlEnum, INTERFACES, PROPERTIES};
use crate::error::Fault;

/// A question about one program interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceQuery<'a> {
    /// The interface, `GL_UNIFORM_BLOCK` for example.
    pub interface: GlEnum,
    /// The question.
    pub question: InterfaceQuestion<'a>,
}

/// The forms of `verify program_interface_query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceQuestion<'a> {
    /// `interface`: a property of the interface itself.
    Whole {
        /// The property, `GL_ACTIVE_RESOURCES` for example.
        property: GlEnum,
        /// Expected value.
        value: i32,
    },
    /// `resourceByData`, or no word: a property of a resource.
    Property {
        /// The resource.
        resource: ResourceKey<'a>,
        /// The property, `GL_BUFFER_DATA_SIZE` for example.
        property: GlEnum,
        /// Expected value.
        value: QueryValue,
    },
    /// `resourceName`: the name of a resource.
    Name {
        /// The resource.
        resource: ResourceKey<'a>,
        /// Expected name.
        name: &'a str,
    },
    /// `resourceIndex`: the index of the resource of a name.
    Index {
        /// The name.
        name: &'a str,
        /// Expected index; `None` for `GL_INVALID_INDEX`.
        index: Option<u32>,
    },
    /// `resourceLocation`: the location of the variable of a name.
    Location {
        /// The name.
        name: &'a str,
        /// Expected location, -1 for none.
        location: i32,
    },
    /// `resourceLocationIndex`: the fragment color index of the variable of a name.
    LocationIndex {
        /// The name.
        name: &'a str,
        /// Expected index, -1 for none.
        index: i32,
    },
}

/// Identification of a resource within its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKey<'a> {
    /// Its name.
    Name(&'a str),
    /// An input or output by its location.
    Component {
        /// The location.
        location: i32,
        /// The component of the location.
        component: i32,
    },
    /// A uniform of the default block by its location.
    Location(i32),
    /// A block or buffer by its binding.
    Binding(i32),
    /// A member of a block or buffer.
    Member {
        /// Binding of the block or buffer.
        binding: i32,
        /// The member's offset in bytes.
        offset: i32,
        /// It is an atomic counter.
        atomic: bool,
    },
}

impl fmt::Display for ResourceKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResourceKey::Name(name) => write!(f, "`{name}`"),
            ResourceKey::Component { location, component } => {
                write!(f, "at location {location} component {component}")
            }
            ResourceKey::Location(location) => write!(f, "at location {location}"),
            ResourceKey::Binding(binding) => write!(f, "of binding {binding}"),
            ResourceKey::Member { binding, offset, .. } => {
                write!(f, "of binding {binding} at offset {offset}")
            }
        }
    }
}

/// Properties of interfaces.
const WHOLE_PROPERTIES: &[&str] = &[
    "ACTIVE_RESOURCES",
    "MAX_NAME_LENGTH",
    "MAX_NUM_ACTIVE_VARIABLES",
    "MAX_NUM_COMPATIBLE_SUBROUTINES",
];

pub(super) fn interface_query<'a>(
    arguments: &mut Arguments<'a, '_>,
) -> Result<InterfaceQuery<'a>, Fault<'a>> {
    const INTERFACE: &str = "a program interface";
    let mut word = arguments.word(INTERFACE)?;
    let form = word;
    let has_form = !form.starts_with("GL_");
    if has_form {
        word = arguments.word(INTERFACE)?;
    }
    let interface = arguments.chosen(word, INTERFACE, |name| GlEnum::among(name, INTERFACES))?;
    let question = match form {
        _ if !has_form => {
            let name = name(arguments, "a resource name")?;
            resource_property(arguments, ResourceKey::Name(name))?
        }
        "interface" => InterfaceQuestion::Whole {
            property: arguments
                .choice("an interface property", |name| GlEnum::among(name, WHOLE_PROPERTIES))?,
            value: arguments.signed("a value")?,
        },
        "resourceByData" => {
            let resource = resource_data(arguments, interface)?;
            resource_property(arguments, resource)?
        }
        "resourceName" => resource_name(arguments, interface)?,
        "resourceIndex" => {
            let name = name(arguments, "a resource name")?;
            InterfaceQuestion::Index { name, index: index(arguments)? }
        }
        "resourceLocation" => InterfaceQuestion::Location {
            name: name(arguments, "a resource name")?,
            location: arguments.signed("a location")?,
        },
        "resourceLocationIndex" => InterfaceQuestion::LocationIndex {
            name: name(arguments, "a resource name")?,
            index: arguments.signed("an index")?,
        },
        _ => return Err(arguments.unexpected(form, INTERFACE)),
    };
    Ok(InterfaceQuery { interface, question })
}

/// A name; `""` is the empty one.
fn name<'a>(arguments: &mut Arguments<'a, '_>, what: &str) -> Result<&'a str, Fault<'a>> {
    let word = arguments.word(what)?;
    Ok(if word == "\"\"" { "" } else { word })
}

fn resource_property<'a>(
    arguments: &mut Arguments<'a, '_>,
    resource: ResourceKey<'a>,
) -> Result<InterfaceQuestion<'a>, Fault<'a>> {
    let property =
        arguments.choice("a resource property", |name| GlEnum::among(name, PROPERTIES))?;
    Ok(InterfaceQuestion::Property {
        resource,
        property,
        value: value(arguments, GlEnum::data_type)?,
    })
}

/// A name, followed by its length, which must be right.
fn resource_name<'a>(
    arguments: &mut Arguments<'a, '_>,
    interface: GlEnum,
) -> Result<InterfaceQuestion<'a>, Fault<'a>> {
    let resource = resource_data(arguments, interface)?;
    let length = arguments.signed("the length of the name")?;
    let name = name(arguments, "a name")?;
    if usize::try_from(length) != Ok(name.len()) {
        return Err(
            arguments.malformed(format!("`{name}` has {} characters, not {length}", name.len()))
        );
    }
    Ok(InterfaceQuestion::Name { resource, name })
}

fn index<'a>(arguments: &mut Arguments<'a, '_>) -> Result<Option<u32>, Fault<'a>> {
    if let Some(index) = arguments.optional_signed() {
        return Ok(Some(index as u32));
    }
    arguments.choice("an index", |word| (word == "GL_INVALID_INDEX").then_some(None))
}

/// `( … )`, whose contents depend on the interface.
fn resource_data<'a>(
    arguments: &mut Arguments<'a, '_>,
    interface: GlEnum,
) -> Result<ResourceKey<'a>, Fault<'a>> {
    arguments.literal("(")?;
    let key = match interface.short_name() {
        "PROGRAM_INPUT" | "PROGRAM_OUTPUT" => ResourceKey::Component {
            location: arguments.signed("a location")?,
            component: arguments.signed("a component")?,
        },
        "UNIFORM" if arguments.literal("var").is_ok() => {
            ResourceKey::Location(arguments.signed("a location")?)
        }
        "UNIFORM" | "BUFFER_VARIABLE" | "TRANSFORM_FEEDBACK_VARYING" => ResourceKey::Member {
            atomic: interface.short_name() == "UNIFORM" && arguments.literal("atomic").is_ok(),
            binding: arguments.signed("a binding")?,
            offset: arguments.signed("an offset")?,
        },
        "UNIFORM_BLOCK"
        | "SHADER_STORAGE_BLOCK"
        | "ATOMIC_COUNTER_BUFFER"
        | "TRANSFORM_FEEDBACK_BUFFER" => ResourceKey::Binding(arguments.signed("a binding")?),
        _ => return Err(arguments.malformed(format!("resources of {interface} have names only"))),
    };
    arguments.literal(")")?;
    Ok(key)
}
