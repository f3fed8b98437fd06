mod noise;
use noise::*;
use stats::sequential::*;
use stats::*;

#[test]
fn explore_coverage() {
    for est in [Estimator::PseudoMedian, Estimator::Median, Estimator::Mean, Estimator::Min] {
        for noise in ALL {
            let mut line = format!("{est:?} {noise:?}");
            for n in [20, 50, 200] {
                let r = rate(4000, n as u64, |c| {
                    let (b, d) = rounds(noise, n, 1.05, c);
                    let e = paired_ratio(&b, &d, est, 0.05).unwrap();
                    e.low <= 1.05 && 1.05 <= e.high
                });
                line += &format!(" {r:.4}");
            }
            eprintln!("{line}");
        }
    }
}

fn looks(information: impl Fn(usize) -> f64) -> Vec<(usize, Look)> {
    let mut b = Boundary::new(0.05, Spending::Power(1.0));
    let mut n = 0;
    let mut out = vec![];
    while n < 500 {
        n = next_look(n, 10).min(500);
        out.push((n, b.look(information(n), n as f64 / 500.0)));
    }
    out
}

#[test]
fn explore_sequential() {
    for (name, est, looks) in [
        ("hl cube", Estimator::PseudoMedian, looks(|n| information(Estimator::PseudoMedian, n))),
        ("hl lin", Estimator::PseudoMedian, looks(|n| n as f64)),
        ("median", Estimator::Median, looks(|n| n as f64)),
        ("mean", Estimator::Mean, looks(|n| n as f64)),
        ("min cube", Estimator::Min, looks(|n| information(Estimator::Min, n))),
        ("min lin", Estimator::Min, looks(|n| n as f64)),
    ] {
        eprintln!(
            "{name} {:?}",
            looks
                .iter()
                .map(|l| (l.0, (l.1.critical_z * 1000.).round() / 1000.))
                .collect::<Vec<_>>()
        );
        for noise in ALL {
            let r = rate(3000, 77, |c| {
                let (b, d) = rounds(noise, 500, 1.0, c);
                looks.iter().any(|(n, l)| {
                    paired_ratio(&b[..*n], &d[..*n], est, l.nominal_alpha).unwrap().excludes_one()
                })
            });
            eprintln!("{name} {noise:?} {r:.4}");
        }
    }
}

#[test]
fn explore_drift() {
    for noise in ALL {
        let mut line = format!("{noise:?}");
        for n in [20, 50, 200, 1000] {
            let r =
                rate(2000, n as u64, |c| drift::drift(&times(noise, n, c)).unwrap().p_value < 0.01);
            line += &format!(" {r:.4}");
        }
        eprintln!("drift {line}");
    }
}
#[test]
fn timing() {
    let mut c = Chance::new(1);
    let (b, d) = rounds(Noise::Normal, 100_000, 1.0, &mut c);
    let t = std::time::Instant::now();
    let e = paired_ratio(&b, &d, Estimator::PseudoMedian, 0.05).unwrap();
    eprintln!("HL 1e5 {:?} {e:?}", t.elapsed());
    let t = std::time::Instant::now();
    let e = paired_ratio(&b, &d, Estimator::Median, 0.05).unwrap();
    eprintln!("Med 1e5 {:?} {e:?}", t.elapsed());
    let mut b = Boundary::new(0.05, Spending::Power(1.0));
    let t = std::time::Instant::now();
    for k in 1..=60 {
        b.look(1.2f64.powi(k), k as f64 / 60.);
    }
    eprintln!("look {:?}", t.elapsed() / 60);
    let mut b = Boundary::new(0.05, Spending::ObrienFleming);
    eprintln!(
        "{:?}",
        (1..=5).map(|k| b.look(k as f64, k as f64 / 5.).critical_z).collect::<Vec<_>>()
    );
    let mut b = Boundary::new(0.05, Spending::Pocock);
    eprintln!(
        "{:?}",
        (1..=5).map(|k| b.look(k as f64, k as f64 / 5.).critical_z).collect::<Vec<_>>()
    );
}
