//! The driver: an instance, a device of it, and logical devices for scripts.

use std::collections::BTreeMap;
use std::fmt::Write;

use ash::vk;
use shader_tools::{ShaderUse, Tools, disassemble, invalid_compilation};
use vk_script::{Pipeline, PipelineStage, Requirements, Script};
use vocabulary::{Phase, Stage};

use crate::device::{Device, queue_family};
use crate::features::{Facts, Needs};
use crate::loader::Instance;
use crate::messages::Message;
use crate::options::{Identity, OpenError, VkOptions};
use crate::outcome::{End, EndKind, Outcome, Stop};
use crate::run::{Machine, execute};

/// Most logical devices that are kept; scripts with other requirements create a new one.
const KEPT: usize = 8;

/// A Vulkan driver. One thread uses it at a time.
pub struct Driver {
    /// Devices by the requirements that they were created for. They go before the instance.
    devices: BTreeMap<Needs, Device>,
    facts: Facts,
    physical: vk::PhysicalDevice,
    tools: Tools,
    identity: Identity,
    instance: Instance,
}

impl Driver {
    /// Loads the loader and chooses a device.
    ///
    /// # Errors
    /// Fails if the machine has no loader or no such device.
    pub fn open(options: &VkOptions) -> Result<Driver, OpenError> {
        let instance = Instance::create(options)?;
        let physical = instance.choose(options)?;
        let identity = instance.identity(physical);
        if queue_family(&instance, physical).is_none() {
            return Err(OpenError::NoQueue(identity.renderer));
        }
        let facts = Facts::read(&instance, physical);
        let tools = Tools::new(options.validate);
        Ok(Driver { devices: BTreeMap::new(), facts, physical, tools, identity, instance })
    }

    /// Returns the names of device and driver.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Executes a script. Contents of its attachments are returned if `images` is true.
    pub fn run(&mut self, script: &Script, images: bool) -> Outcome {
        if let Some(part) = script.unsupported.first() {
            return end(Some(part.line), EndKind::Skip, part.reason.clone());
        }
        let needs = needs(&script.requirements);
        if let Some(reason) = self.facts.unmet(&needs) {
            return end(None, EndKind::Skip, reason);
        }
        self.instance.take_messages();
        if let Err(Stop { kind, reason }) = self.prepare(&needs) {
            return end(None, kind, reason);
        }
        let Some(device) = self.devices.get(&needs) else {
            return end(None, EndKind::Fail(Phase::Simulate), "there is no device".to_owned());
        };
        let machine = Machine {
            instance: &self.instance,
            physical: self.physical,
            facts: &self.facts,
            device,
            tools: &self.tools,
        };
        let mut outcome = execute(&machine, script, images);
        if outcome.end.as_ref().is_some_and(|end| end.kind == EndKind::Lost) {
            // Work may be pending, so that the device cannot be destroyed.
            std::mem::forget(self.devices.remove(&needs));
        }
        report(&mut outcome, self.instance.take_messages());
        excuse(&mut outcome, script);
        outcome
    }

    /// Creates a device for requirements, unless there is one.
    fn prepare(&mut self, needs: &Needs) -> Result<(), Stop> {
        if self.devices.contains_key(needs) {
            return Ok(());
        }
        if self.devices.len() >= KEPT {
            self.devices.clear();
        }
        let device = Device::create(&self.instance, self.physical, &self.facts, needs)?;
        self.devices.insert(needs.clone(), device);
        Ok(())
    }
}

/// A module of a script as assembly text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleText {
    /// Names of pipeline, stage and shader.
    pub name: String,
    /// The stage.
    pub stage: Stage,
    /// The text.
    pub text: String,
}

/// Returns the modules of a script as assembly texts.
///
/// # Errors
/// Returns the message of the program that refused a text, or is missing.
pub fn modules(script: &Script) -> Result<Vec<ModuleText>, String> {
    let tools = Tools::new(false);
    let mut texts = Vec::new();
    for (pipeline, stage) in stages(script) {
        let shader = script.shader(stage.shader);
        let module =
            tools.module(&ShaderUse::of(script, stage)).map_err(|error| error.to_string())?;
        let name = format!("{} {} {}", pipeline.name, stage.stage.abbreviation(), shader.name);
        let text = disassemble(&module).map_err(|error| error.to_string())?;
        texts.push(ModuleText { name, stage: stage.stage, text });
    }
    Ok(texts)
}

/// Makes the modules of a script, and has `spirv-val` check them.
///
/// # Errors
/// Returns the message of the program that refused a text or a module, or is missing.
pub fn validate(script: &Script) -> Result<(), String> {
    let tools = Tools::new(true);
    stages(script)
        .try_for_each(|(_, stage)| tools.module(&ShaderUse::of(script, stage)).map(|_| ()))
        .map_err(|error| error.to_string())
}

/// Returns all stages of a script with their pipelines.
fn stages(script: &Script) -> impl Iterator<Item = (&Pipeline, &PipelineStage)> {
    script.pipelines.iter().flat_map(|pipeline| pipeline.stages.iter().map(move |s| (pipeline, s)))
}

/// Makes a failure of messages of the validation layers; messages of the driver complete a failure
/// that there is.
fn report(outcome: &mut Outcome, messages: Vec<Message>) {
    let (layers, driver): (Vec<Message>, _) = messages.into_iter().partition(|m| m.is_validation);
    match (&mut outcome.end, &layers[..], &driver[..]) {
        (None, [first, rest @ ..], _) => {
            let more =
                if rest.is_empty() { String::new() } else { format!(" ({} more)", rest.len()) };
            let reason = format!("validation layers: {}{more}", first.text);
            let kind = EndKind::Fail(Phase::Validate);
            outcome.end = Some(End { line: None, kind, reason });
        }
        (Some(end), _, [first, ..]) if end.kind == EndKind::Fail(Phase::Simulate) => {
            let _ = write!(end.reason, "\n  driver: {}", first.text);
        }
        _ => {}
    }
}

/// Makes a skip of a call that the driver refused if a module is invalid by the compiler's fault.
fn excuse(outcome: &mut Outcome, script: &Script) {
    let Some(end) = outcome.end.as_mut().filter(|e| e.kind == EndKind::Fail(Phase::Simulate))
    else {
        return;
    };
    let invalid = |(_, stage): (&Pipeline, &PipelineStage)| {
        let reason = invalid_compilation(&ShaderUse::of(script, stage))?;
        Some(format!("shader `{}`: {reason}", script.shader(stage.shader).name))
    };
    if let Some(reason) = stages(script).find_map(invalid) {
        (end.kind, end.reason) = (EndKind::Skip, reason);
    }
}

fn end(line: Option<u32>, kind: EndKind, reason: String) -> Outcome {
    Outcome { end: Some(End { line, kind, reason }), ..Outcome::default() }
}

/// Returns the requirements of a script in the driver's form.
fn needs(requirements: &Requirements) -> Needs {
    let name = |structure: &str, member: &str| match structure {
        "" => member.to_owned(),
        structure => format!("{structure}.{member}"),
    };
    let version = requirements.version.map_or(0, |[major, minor, patch]| {
        vk::make_api_version(0, major.min(0x7f), minor.min(0x3ff), patch.min(0xfff))
    });
    Needs {
        features: requirements.features.iter().map(|f| name(f.structure, f.member)).collect(),
        properties: requirements.properties.iter().map(|p| name(p.structure, p.member)).collect(),
        extensions: requirements
            .device_extensions
            .iter()
            .chain(&requirements.instance_extensions)
            .cloned()
            .collect(),
        version,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_fail_or_explain() {
        let message = |is_validation, text: &str| Message { is_validation, text: text.to_owned() };
        let messages = || vec![message(false, "error: d"), message(true, "error: v")];
        let mut passed = Outcome::default();
        report(&mut passed, messages());
        let found = passed.end.expect("a failure");
        assert_eq!(found.reason, "validation layers: error: v");
        let mut passed = Outcome::default();
        report(&mut passed, vec![message(false, "error: d")]);
        assert_eq!(passed.end, None);
        let mut failed = end(None, EndKind::Fail(Phase::Simulate), "refused".to_owned());
        report(&mut failed, messages());
        assert_eq!(failed.end.expect("a failure").reason, "refused\n  driver: error: d");
        let mut wrong = end(None, EndKind::Fail(Phase::Probe), "1, not 2".to_owned());
        report(&mut wrong, messages());
        assert_eq!(wrong.end.expect("a failure").reason, "1, not 2");
    }
}
