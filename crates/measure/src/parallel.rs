//! The same work on many items, on all processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results of `work` for each item, in order.
///
/// # Panics
///
/// When `work` does.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_with(items, || (), |(), item| work(item))
}

/// The same with a state for each worker, created by `begin`.
///
/// # Panics
///
/// When `begin` or `work` does.
pub fn map_with<S, T: Sync, R: Send>(
    items: &[T],
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let next = AtomicUsize::new(0);
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        let worker = || {
            let mut own = begin();
            let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            numbers
                .map_while(|number| Some((number, work(&mut own, items.get(number)?))))
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no worker panics")).collect()
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn what_is_made_is_in_the_order_of_the_things() {
        let numbers: Vec<usize> = (0..1000).collect();
        let squares: Vec<usize> = numbers.iter().map(|number| number * number).collect();
        assert_eq!(map(&numbers, |number| number * number), squares);
        assert!(map(&[], |number: &usize| number * 2).is_empty());
    }
}
