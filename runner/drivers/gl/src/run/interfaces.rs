//! `verify program_interface_query`: properties of an interface and its resources.

use script::{InterfaceQuery, InterfaceQuestion, QueryValue, ResourceKey};
use vocabulary::Phase;

use super::query::expect;
use super::session::Run;
use crate::bindings::gl;
use crate::enums::value_of;
use crate::outcome::{Flow, fail};

impl Run<'_> {
    pub(super) fn interface_query(&self, query: &InterfaceQuery<'_>) -> Flow {
        let interface = query.interface;
        let (program, number) = (self.linked.program(), value_of(interface).unwrap_or(0));
        let missing =
            |key: ResourceKey<'_>| fail(Phase::Probe, format!("{interface} has no resource {key}"));
        match query.question {
            InterfaceQuestion::Whole { property, value } => {
                let found = self.api.interface(program, number, value_of(property).unwrap_or(0));
                expect(found, QueryValue::Integer(value), &format!("{interface} {property}"))
            }
            InterfaceQuestion::Property { resource, property, value } => {
                let index = self.select(number, resource).ok_or_else(|| missing(resource))?;
                let property_number = value_of(property).unwrap_or(0);
                let found = self.api.resource(program, number, index, property_number);
                expect(found, value, &format!("{interface} {resource} {property}"))
            }
            InterfaceQuestion::Name { resource, name } => {
                let index = self.select(number, resource).ok_or_else(|| missing(resource))?;
                let found = self.api.resource_name(program, number, index);
                if found == name {
                    return Ok(());
                }
                let what = format!("{interface} {resource}");
                let reason = format!("{what}: expected name `{name}`, got `{found}`");
                Err(fail(Phase::Probe, reason))
            }
            InterfaceQuestion::Index { name, index } => {
                let found = self.api.resource_index(program, number, name);
                let wanted = index.unwrap_or(gl::INVALID_INDEX);
                if found == wanted {
                    return Ok(());
                }
                let shown = |index: u32| match index {
                    gl::INVALID_INDEX => "GL_INVALID_INDEX".to_owned(),
                    _ => index.to_string(),
                };
                let (wanted, found) = (shown(wanted), shown(found));
                let reason = format!("index of `{name}`: expected {wanted}, got {found}");
                Err(fail(Phase::Probe, reason))
            }
            InterfaceQuestion::Location { name, location } => expect(
                self.api.resource_location(program, number, name),
                QueryValue::Integer(location),
                &format!("location of `{name}`"),
            ),
            InterfaceQuestion::LocationIndex { name, index } => expect(
                self.api.resource_location_index(program, number, name),
                QueryValue::Integer(index),
                &format!("color index of `{name}`"),
            ),
        }
    }

    /// Returns the index of a resource. Blocks of SPIR-V need not have names (`GL_ARB_gl_spirv`):
    /// that of the last `block binding` is meant.
    fn select(&self, interface: u32, key: ResourceKey<'_>) -> Option<u32> {
        let with = |wanted: &[(u32, i32)]| self.find(interface, wanted);
        let is_block = matches!(interface, gl::UNIFORM_BLOCK | gl::SHADER_STORAGE_BLOCK);
        match (key, self.blocks.member.binding) {
            (ResourceKey::Name(_), Some(binding)) if self.spirv && is_block => {
                return with(&[(gl::BUFFER_BINDING, binding)]);
            }
            _ => {}
        }
        match key {
            ResourceKey::Name(name) => {
                let program = self.linked.program();
                self.indices(interface)
                    .find(|&index| self.api.resource_name(program, interface, index) == name)
            }
            ResourceKey::Component { location, component } => {
                with(&[(gl::LOCATION, location), (gl::LOCATION_COMPONENT, component)])
            }
            ResourceKey::Location(location) => with(&[(gl::LOCATION, location)]),
            ResourceKey::Binding(binding) => with(&[(gl::BUFFER_BINDING, binding)]),
            ResourceKey::Member { binding, offset, atomic } => {
                let (owners, index) = match interface {
                    _ if atomic => (gl::ATOMIC_COUNTER_BUFFER, gl::ATOMIC_COUNTER_BUFFER_INDEX),
                    gl::TRANSFORM_FEEDBACK_VARYING => {
                        (gl::TRANSFORM_FEEDBACK_BUFFER, gl::TRANSFORM_FEEDBACK_BUFFER_INDEX)
                    }
                    gl::BUFFER_VARIABLE => (gl::SHADER_STORAGE_BLOCK, gl::BLOCK_INDEX),
                    _ => (gl::UNIFORM_BLOCK, gl::BLOCK_INDEX),
                };
                let owner = self.find(owners, &[(gl::BUFFER_BINDING, binding)])?;
                with(&[(index, owner as i32), (gl::OFFSET, offset)])
            }
        }
    }

    /// Returns the first resource whose properties have some values.
    fn find(&self, interface: u32, wanted: &[(u32, i32)]) -> Option<u32> {
        let program = self.linked.program();
        self.indices(interface).find(|&index| {
            wanted.iter().all(|&(property, value)| {
                self.api.resource(program, interface, index, property) == value
            })
        })
    }

    /// Returns true if an active uniform has a location.
    pub(super) fn is_active(&self, location: i32) -> bool {
        let program = self.linked.program();
        let number = |index, property| self.api.resource(program, gl::UNIFORM, index, property);
        self.indices(gl::UNIFORM).any(|index| {
            let first = number(index, gl::LOCATION);
            let end = first.saturating_add(number(index, gl::ARRAY_SIZE).max(1));
            first >= 0 && (first..end).contains(&location)
        })
    }

    fn indices(&self, interface: u32) -> std::ops::Range<u32> {
        let count = self.api.interface(self.linked.program(), interface, gl::ACTIVE_RESOURCES);
        0..u32::try_from(count).unwrap_or(0)
    }
}
