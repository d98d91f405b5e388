//! Capabilities of a context, and the record of those that a computation consulted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vocabulary::Target;

/// The API that a context implements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Api {
    /// OpenGL, core profile.
    Core,
    /// OpenGL, compatibility profile.
    Compatibility,
    /// OpenGL ES.
    Es,
}

/// One kind of context of one generation, read from its table.
#[derive(Clone, PartialEq, Debug)]
pub struct CapabilityTable {
    /// Name of the target: `ivb`, `reference`, or `gl` for a driver.
    pub generation: String,
    /// API.
    pub api: Api,
    /// GL or ES version as 10 × major + minor.
    pub gl_version: u32,
    /// Highest GLSL or GLSL ES version as 100 × major + minor.
    pub glsl_version: u32,
    /// Exported extensions, `GL_` included.
    pub extensions: BTreeSet<String>,
    /// Integer limits by enum name.
    pub limits: BTreeMap<String, f64>,
}

/// Capabilities of a context. Results that depend on a context are computed from the answers of
/// these methods alone, so that a record of the answers says in which other contexts they are the
/// same.
#[derive(Debug)]
pub struct Capabilities {
    table: Arc<CapabilityTable>,
    consulted: Option<Mutex<Consulted>>,
}

impl From<CapabilityTable> for Capabilities {
    fn from(table: CapabilityTable) -> Capabilities {
        Capabilities { table: Arc::new(table), consulted: None }
    }
}

impl Capabilities {
    /// Returns the same capabilities with an empty record of answers.
    pub fn recorded(&self) -> Capabilities {
        let consulted = Some(Mutex::new(Consulted::default()));
        Capabilities { table: self.table.clone(), consulted }
    }

    /// Returns the answers since [`Capabilities::recorded`].
    pub fn consulted(&self) -> Consulted {
        self.record().map(|record| record.clone()).unwrap_or_default()
    }

    /// Returns the whole table. Reading it leaves no trace in the record: use it where the answer
    /// does not decide about a result, or record what decides.
    pub fn table(&self) -> &CapabilityTable {
        &self.table
    }

    /// Returns the API.
    pub fn api(&self) -> Api {
        if let Some(mut record) = self.record() {
            record.api = Some(self.table.api);
        }
        self.table.api
    }

    /// Returns true if the GL or ES version (10 × major + minor) is at least `version`.
    pub fn gl_at_least(&self, version: u32) -> bool {
        let answer = self.table.gl_version >= version;
        if let Some(mut record) = self.record() {
            record.gl_versions.insert(version, answer);
        }
        answer
    }

    /// Returns true if the GLSL or GLSL ES version (100 × major + minor) is at least `version`.
    pub fn glsl_at_least(&self, version: u32) -> bool {
        let answer = self.table.glsl_version >= version;
        if let Some(mut record) = self.record() {
            record.glsl_versions.insert(version, answer);
        }
        answer
    }

    /// Returns true if the extension is exported.
    pub fn has(&self, extension: &str) -> bool {
        let answer = self.table.extensions.contains(extension);
        if let Some(mut record) = self.record()
            && !record.extensions.contains_key(extension)
        {
            record.extensions.insert(extension.to_owned(), answer);
        }
        answer
    }

    /// A limit as an integer, `default` when the table does not name it.
    pub fn limit(&self, name: &str, default: u32) -> u32 {
        let answer = self.table.limits.get(name).copied();
        if let Some(mut record) = self.record()
            && !record.limits.contains_key(name)
        {
            record.limits.insert(name.to_owned(), answer);
        }
        answer.map_or(default, |value| value as u32)
    }

    /// Returns a limit if it is less than `count`; `default` when the table does not name it. A
    /// record has no more than the answer: other contexts may have other limits.
    pub fn limit_below(&self, name: &str, default: u32, count: u32) -> Option<u32> {
        let limit = self.table.limits.get(name).map_or(default, |&value| value as u32);
        if count > limit {
            return Some(self.limit(name, default));
        }
        if let Some(mut record) = self.record() {
            match record.sufficient.get_mut(name) {
                Some(sufficient) => sufficient.1 = sufficient.1.max(count),
                None => _ = record.sufficient.insert(name.to_owned(), (default, count)),
            }
        }
        None
    }

    /// Returns true for an OpenGL driver, whose limits are known, but not what makes a program fit
    /// that exceeds them.
    pub fn is_of_driver(&self) -> bool {
        self.consult_all();
        Target::from_name(&self.table.generation).is_some_and(Target::has_system_driver)
    }

    /// Returns all extensions.
    pub fn extensions(&self) -> &BTreeSet<String> {
        self.consult_all();
        &self.table.extensions
    }

    /// Records that the whole table was consulted.
    pub fn consult_all(&self) {
        if let Some(mut record) = self.record() {
            record.table = Some(self.table.clone());
        }
    }

    /// Returns true if answers are recorded.
    pub fn is_recorded(&self) -> bool {
        self.consulted.is_some()
    }

    fn record(&self) -> Option<MutexGuard<'_, Consulted>> {
        let record = self.consulted.as_ref()?;
        Some(record.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Answers that a computation got from the capabilities of a context.
#[derive(Clone, Default, Debug)]
pub struct Consulted {
    /// The whole table, if that was consulted.
    table: Option<Arc<CapabilityTable>>,
    api: Option<Api>,
    gl_versions: BTreeMap<u32, bool>,
    glsl_versions: BTreeMap<u32, bool>,
    extensions: BTreeMap<String, bool>,
    limits: BTreeMap<String, Option<f64>>,
    /// Limits that are large enough, with their defaults and the counts.
    sufficient: BTreeMap<String, (u32, u32)>,
}

impl Consulted {
    /// Returns true if another context gives the same answers.
    pub fn same_in(&self, other: &Capabilities) -> bool {
        let other = other.table();
        let reaches = |has: u32, versions: &BTreeMap<u32, bool>| {
            versions.iter().all(|(&version, &answer)| (has >= version) == answer)
        };
        let limit =
            |name: &String, default| other.limits.get(name).map_or(default, |&value| value as u32);
        self.table.as_deref().is_none_or(|table| table == other)
            && self.api.is_none_or(|api| api == other.api)
            && reaches(other.gl_version, &self.gl_versions)
            && reaches(other.glsl_version, &self.glsl_versions)
            && self.extensions.iter().all(|(name, &has)| other.extensions.contains(name) == has)
            && self.limits.iter().all(|(name, value)| other.limits.get(name) == value.as_ref())
            && self.sufficient.iter().all(|(name, &(default, count))| limit(name, default) >= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> CapabilityTable {
        CapabilityTable {
            generation: "ivb".into(),
            api: Api::Core,
            gl_version: 42,
            glsl_version: 420,
            extensions: ["GL_A", "GL_B"].map(str::to_owned).into(),
            limits: BTreeMap::from([("GL_MAX_A".to_owned(), 4.0), ("GL_MAX_B".to_owned(), 5.0)]),
        }
    }

    /// A record notices a change of a context if and only if the changed part was consulted.
    #[test]
    fn records_name_what_was_consulted() {
        type Change = fn(&mut CapabilityTable);
        type Question = fn(&Capabilities);
        let cases: [(Question, Change); 8] = [
            (|c| _ = c.api(), |t| t.api = Api::Es),
            (|c| _ = c.gl_at_least(42), |t| t.gl_version = 41),
            (|c| _ = c.gl_at_least(45), |t| t.gl_version = 45),
            (|c| _ = c.glsl_at_least(420), |t| t.glsl_version = 410),
            (|c| _ = c.has("GL_A"), |t| _ = t.extensions.remove("GL_A")),
            (|c| _ = c.has("GL_C"), |t| _ = t.extensions.insert("GL_C".into())),
            (|c| _ = c.limit("GL_MAX_A", 1), |t| _ = t.limits.remove("GL_MAX_A")),
            (|c| _ = c.limit("GL_MAX_C", 1), |t| _ = t.limits.insert("GL_MAX_C".into(), 1.0)),
        ];
        for (index, (question, _)) in cases.iter().enumerate() {
            let asked = Capabilities::from(table()).recorded();
            question(&asked);
            for (other, (_, change)) in cases.iter().enumerate() {
                let mut changed = table();
                change(&mut changed);
                let same = asked.consulted().same_in(&changed.into());
                assert_eq!(same, index != other, "question {index}, change {other}");
            }
        }
    }

    #[test]
    fn the_whole_table_can_be_consulted() {
        let asked = Capabilities::from(table()).recorded();
        assert_eq!(asked.extensions().len(), 2);
        assert!(asked.consulted().same_in(&table().into()));
        let changed = CapabilityTable { generation: "hsw".into(), ..table() };
        assert!(!asked.consulted().same_in(&changed.into()));
    }

    /// A limit that suffices is the same as any other that does.
    #[test]
    fn sufficient_limits() {
        let with = |limit: Option<f64>| {
            let name = "GL_MAX_A".to_owned();
            CapabilityTable {
                limits: limit.map(|limit| (name, limit)).into_iter().collect(),
                ..table()
            }
        };
        let asked = Capabilities::from(with(Some(8.0))).recorded();
        assert_eq!(asked.limit_below("GL_MAX_A", 16, 3), None);
        assert_eq!(asked.limit_below("GL_MAX_A", 16, 5), None);
        let same = |limit| asked.consulted().same_in(&with(limit).into());
        assert_eq!([Some(4.0), Some(5.0), Some(99.0), None].map(same), [false, true, true, true]);
        assert_eq!(asked.limit_below("GL_MAX_A", 16, 9), Some(8));
        let same = |limit| asked.consulted().same_in(&with(limit).into());
        assert_eq!([Some(5.0), Some(8.0)].map(same), [false, true]);
    }

    #[test]
    fn records_are_separate() {
        let first = Capabilities::from(table()).recorded();
        first.has("GL_A");
        let second = first.recorded();
        assert!(second.consulted().extensions.is_empty());
        assert_eq!(first.consulted().extensions.len(), 1);
    }
}
