//! Charts for tests.

use super::{Chart, Estimate, Objective, Point, Role, Standing};
use crate::metric::Unit;
use crate::spec::parameters::Parameter;

/// What is minimised, and memory.
pub(super) fn objectives() -> Vec<Objective> {
    let objective = |name: &str, unit| Objective { name: name.to_owned(), unit };
    vec![objective("wall time", Unit::Seconds), objective("peak memory", Unit::Bytes)]
}

/// A parameter with these values.
pub(super) fn parameter(name: &str, values: &[&str]) -> Parameter {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Parameter { name: name.to_owned(), values }
}

/// A point with an interval of 4 % in time.
pub(super) fn point(name: &str, at: Option<&[usize]>, time: f64, memory: f64) -> Point {
    Point {
        name: name.to_owned(),
        at: at.map(<[usize]>::to_vec),
        estimates: vec![
            Estimate::new(time, time * 0.98, time * 1.02),
            Estimate::new(memory, memory, memory),
        ],
        standing: Standing::Behind,
        roles: Vec::new(),
        remarks: vec!["20 rounds".to_owned()],
    }
}

/// Seven sizes of a heap and the default, which is none of them: larger is faster until it is not;
/// the smallest left, the largest failed.
pub(super) fn curve() -> Chart {
    let sizes = ["32k", "128k", "512k", "2M", "8M", "32M", "128M"];
    let times = [3.1, 2.4, 1.6, 1.1, 0.93, 0.97, 0.0];
    let mut points = vec![point("default", None, 1.9, 11e6)];
    points[0].roles = vec![Role::Default];
    for (index, (size, time)) in sizes.iter().zip(times).enumerate() {
        let memory = 8e6 + 1.3 * f64::from(1 << (15 + 2 * index));
        let mut one = point(&format!("s={size}"), Some(&[index]), time, memory);
        one.standing = match index {
            0 => Standing::Left,
            5 => Standing::Behind,
            6 => Standing::Failed,
            _ => Standing::Front,
        };
        one.roles = match index {
            3 => vec![Role::Knee, Role::Thrifty],
            4 => vec![Role::Best],
            _ => Vec::new(),
        };
        if index == 6 {
            one.estimates = vec![None, None];
            one.remarks.insert(0, "was ended by signal 9 (SIGKILL)".to_owned());
        }
        points.push(one);
    }
    Chart {
        title: "OCAMLRUNPARAM=s={s} ./last 1000000".to_owned(),
        subtitle: "20 rounds in 41.3 s until the verdict was settled, a processor".to_owned(),
        objectives: objectives(),
        parameters: vec![parameter("s", &sizes)],
        reference: "the default".to_owned(),
        points,
    }
}

/// Six sizes by four overheads, the first parameter with fewer values than the second; one point
/// left, one failed, one was not read.
pub(super) fn map() -> Chart {
    let overheads = ["40", "80", "120", "200"];
    let sizes = ["32k", "128k", "512k", "2M", "8M", "32M"];
    let mut points = Vec::new();
    for (row, overhead) in overheads.iter().enumerate() {
        for (column, size) in sizes.iter().enumerate() {
            let time = 3.0 / (1.0 + column as f64) + 0.8 / (1.0 + row as f64);
            let memory = 8e6 * f64::from(1 << column) * (1.0 + 0.3 * row as f64);
            points.push(point(
                &format!("o={overhead} s={size}"),
                Some(&[row, column]),
                time,
                memory,
            ));
        }
    }
    points[7].roles = vec![Role::Default];
    points.swap(0, 7);
    for (number, roles) in
        [(23, vec![Role::Best]), (21, vec![Role::Knee]), (20, vec![Role::Thrifty])]
    {
        points[number].roles = roles;
        points[number].standing = Standing::Front;
    }
    points[22].standing = Standing::Front;
    points[1].standing = Standing::Left;
    points[5].standing = Standing::Failed;
    points[5].estimates = vec![None, None];
    points[11].estimates = vec![None, None];
    Chart {
        title: "OCAMLRUNPARAM=s={s},o={o} ./last 1000000".to_owned(),
        parameters: vec![parameter("o", &overheads), parameter("s", &sizes)],
        points,
        ..curve()
    }
}
