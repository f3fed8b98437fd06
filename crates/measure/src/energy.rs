//! The energy that the processor packages used during a run, by the kernel's powercap interface
//! (Linux, *Power Capping Framework*, `power/powercap/powercap.rst`), which Intel's processors have
//! and, under the same names, AMD's since family 17h.
//!
//! Only on demand: these counters cover whole packages, including everything else that runs.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::readings::{Microjoules, Missing, Nanoseconds};

/// The counters' update interval (Intel, *Software Developer's Manual* 3B, section 15.10.3); a
/// shorter run cannot be measured.
const UPDATED_EVERY: Nanoseconds = Nanoseconds(1_000_000);

/// The most power of a package over a long time, in watts. Arbitrary, a little above the largest of
/// 2025: it limits the length of runs, so that a counter cannot wrap more than once.
const MOST_WATTS: u64 = 600;

/// The counters of all packages.
#[derive(Debug)]
pub(crate) struct Packages(Vec<Package>);

/// One package's counter.
#[derive(Debug)]
struct Package {
    path: PathBuf,
    energy: File,
    /// The value at which the counter wraps.
    range: Microjoules,
}

/// The values of all counters at one moment, in the order of the packages.
#[derive(Debug)]
pub(crate) struct EnergySnapshot(Vec<Microjoules>);

impl Packages {
    /// The packages of the system whose `/sys` is at `sys`.
    pub(crate) fn find(sys: &Path) -> Result<Self, Missing> {
        let class = sys.join("class/powercap");
        let entries = fs::read_dir(&class).map_err(|_| Missing::NoEnergyCounters)?;
        // By name: zones below a package are `intel-rapl:0:0`.
        let is_zone = |name: &str| {
            let number = name.strip_prefix("intel-rapl:");
            number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut zones: Vec<String> = names.filter(|name| is_zone(name)).collect();
        zones.sort_unstable();
        let packages = zones.iter().filter_map(|name| Package::open(&class.join(name)).transpose());
        let packages: Vec<Package> = packages.collect::<Result<_, _>>()?;
        if packages.is_empty() { Err(Missing::NoEnergyCounters) } else { Ok(Self(packages)) }
    }

    /// The current values of the counters.
    pub(crate) fn snapshot(&self) -> Result<EnergySnapshot, Missing> {
        self.0.iter().map(Package::read).collect::<Result<_, _>>().map(EnergySnapshot)
    }

    /// The energy of all packages between two snapshots that are `passed` apart.
    pub(crate) fn between(
        &self,
        before: &EnergySnapshot,
        after: &EnergySnapshot,
        passed: Nanoseconds,
    ) -> Result<Microjoules, Missing> {
        if passed < UPDATED_EVERY {
            return Err(Missing::ShorterThanEnergyCounts);
        }
        // Microjoules divided by watts are microseconds.
        let least_range = self.0.iter().map(|package| package.range.0).min().unwrap_or(0);
        if passed.0 / 1000 > least_range / MOST_WATTS {
            return Err(Missing::EnergyWrapped {
                after_seconds: least_range / MOST_WATTS / 1_000_000,
            });
        }
        let pairs = before.0.iter().zip(&after.0);
        let taken = self.0.iter().zip(pairs).map(|(package, (before, after))| {
            let begun_anew = if after < before { package.range.0 } else { 0 };
            (after.0 + begun_anew).saturating_sub(before.0)
        });
        // A package that is on uses some energy.
        match taken.sum() {
            0 => Err(Missing::ShorterThanEnergyCounts),
            energy => Ok(Microjoules(energy)),
        }
    }

    /// The number of packages.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

impl Package {
    /// The package of a zone; `None` for other zones, such as the whole platform, which includes
    /// the packages.
    fn open(zone: &Path) -> Result<Option<Self>, Missing> {
        if !text(&zone.join("name"))?.starts_with("package") {
            return Ok(None);
        }
        let range = zone.join("max_energy_range_uj");
        let path = zone.join("energy_uj");
        let energy = File::open(&path).map_err(|error| refused(&path, &error))?;
        let package = Self { range: number(&range, &text(&range)?)?, path, energy };
        package.read()?;
        Ok(Some(package))
    }

    fn read(&self) -> Result<Microjoules, Missing> {
        // A number of at most 20 digits, which changes with each read.
        let mut bytes = [0; 24];
        let length =
            self.energy.read_at(&mut bytes, 0).map_err(|error| refused(&self.path, &error))?;
        number(&self.path, &String::from_utf8_lossy(&bytes[..length]))
    }
}

fn text(path: &Path) -> Result<String, Missing> {
    fs::read_to_string(path).map_err(|error| Missing::from_read(path, &error))
}

fn number(path: &Path, text: &str) -> Result<Microjoules, Missing> {
    let number = text.trim().parse().map(Microjoules);
    number.map_err(|_| Missing::NotUnderstood { path: path.into() })
}

fn refused(path: &Path, error: &io::Error) -> Missing {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Missing::EnergyForbidden,
        _ => Missing::from_read(path, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Folder;

    const SECOND: Nanoseconds = Nanoseconds(1_000_000_000);

    /// A `/sys` with these zones: directory, name, energy and range.
    fn sys(name: &str, zones: &[(&str, &str, &str, u64)]) -> Folder {
        let sys = Folder::new(&format!("energy-{name}"), &[]);
        for (directory, name, energy, range) in zones {
            let zone = format!("class/powercap/{directory}");
            sys.write(&format!("{zone}/name"), &format!("{name}\n"));
            sys.write(&format!("{zone}/energy_uj"), &format!("{energy}\n"));
            sys.write(&format!("{zone}/max_energy_range_uj"), &format!("{range}\n"));
        }
        sys
    }

    fn show(sys: &Folder, zone: &str, energy: u64) {
        sys.write(&format!("class/powercap/{zone}/energy_uj"), &format!("{energy}\n"));
    }

    const RANGE: u64 = 262_143_328_850;

    #[test]
    fn packages_are_added_up_and_a_counter_may_begin_anew() {
        let sys = sys(
            "two",
            &[
                ("intel-rapl:0", "package-0", "262143328000", RANGE),
                ("intel-rapl:0:0", "core", "5", RANGE),
                ("intel-rapl:1", "package-1", "1000", RANGE),
                ("intel-rapl:2", "psys", "7", RANGE),
                ("intel-rapl-mmio:0", "package-0", "9", RANGE),
            ],
        );
        let packages = Packages::find(&sys).expect("there are two");
        assert_eq!(packages.count(), 2);
        let before = packages.snapshot().expect("readable");
        // 850 microjoules to the end, 150 after it; and 4000.
        show(&sys, "intel-rapl:0", 150);
        show(&sys, "intel-rapl:1", 5000);
        let after = packages.snapshot().expect("readable");
        assert_eq!(packages.between(&before, &after, SECOND), Ok(Microjoules(5000)));
    }

    #[test]
    fn what_a_counter_cannot_tell_is_a_reason() {
        let sys = sys("one", &[("intel-rapl:0", "package-0", "1000", 65_532_610_987)]);
        let packages = Packages::find(&sys).expect("there is one");
        let before = packages.snapshot().expect("readable");
        let same = packages.snapshot().expect("readable");
        let short = Err(Missing::ShorterThanEnergyCounts);
        assert_eq!(packages.between(&before, &same, SECOND), short, "it did not move");
        show(&sys, "intel-rapl:0", 3000);
        let after = packages.snapshot().expect("readable");
        assert_eq!(packages.between(&before, &after, Nanoseconds(900_000)), short);
        // 65,532 joules at 600 watts.
        let wrapped = Err(Missing::EnergyWrapped { after_seconds: 109 });
        let long = |seconds: u64| Nanoseconds(seconds * SECOND.0);
        assert_eq!(packages.between(&before, &after, long(110)), wrapped);
        assert_eq!(packages.between(&before, &after, long(109)), Ok(Microjoules(2000)));
    }

    #[test]
    fn what_is_not_there_is_a_reason() {
        let none = sys("none", &[]);
        assert_eq!(Packages::find(&none).err(), Some(Missing::NoEnergyCounters));
        let other = sys("other", &[("intel-rapl:0", "psys", "1", RANGE)]);
        assert_eq!(Packages::find(&other).err(), Some(Missing::NoEnergyCounters));
        let odd = sys("odd", &[("intel-rapl:0", "package-0", "many", RANGE)]);
        let path = odd.join("class/powercap/intel-rapl:0/energy_uj");
        assert_eq!(Packages::find(&odd).err(), Some(Missing::NotUnderstood { path: path.clone() }));
        let denied = io::Error::from_raw_os_error(libc::EACCES);
        assert_eq!(refused(&path, &denied), Missing::EnergyForbidden);
    }
}
