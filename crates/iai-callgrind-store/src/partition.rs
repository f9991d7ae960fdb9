//! Divides benchmarks into shards: each benchmark is in exactly one, in any order of benchmarks.

use crate::mixed_hash as hash;

/// Benchmarks that run in the same shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardUnit {
    /// The smallest of their names.
    pub name: String,
    /// Cost of its run, such as instructions.
    pub cost: u64,
    /// The shard that it was in before.
    pub known: Option<u32>,
}

/// Returns the number of the shard of each unit, starting at 1.
///
/// A unit with a known shard stays there. The others follow, the most expensive unit first, each
/// into the shard with the least cost so far. Units of equal cost are ordered by the hashes of
/// their names, because neighbours by name often have a common property, such as the input size.
/// The first of several shards with equal cost depends on `file`, so that the only benchmarks of
/// many small files are not all in the first shard.
pub fn divide_into_shards(units: &[ShardUnit], file: &str, total: u32) -> Vec<u32> {
    let mut order: Vec<_> = (0..units.len()).collect();
    order.sort_by_cached_key(|&index| {
        let ShardUnit { name, cost, known } = &units[index];
        (known.is_none(), u64::MAX - cost, hash(name), name)
    });
    let first = u32::try_from(hash(file) % u64::from(total)).unwrap_or(0);
    let mut costs = vec![0_u64; total as usize];
    let mut shards = vec![0; units.len()];
    for index in order {
        let rotated = (0..total).map(|shard| (shard + first) % total);
        let cheapest = rotated.min_by_key(|&shard| costs[shard as usize]).unwrap_or(0);
        let known = units[index].known.filter(|known| (1..=total).contains(known));
        let shard = known.map_or(cheapest, |known| known - 1);
        // A unit without a cost must not follow the one before it
        let cost = &mut costs[shard as usize];
        *cost = cost.saturating_add(units[index].cost.max(1));
        shards[index] = shard + 1;
    }
    shards
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use super::*;

    fn units(costs: &BTreeMap<String, u64>) -> Vec<ShardUnit> {
        let unit = |(name, cost): (&String, &u64)| ShardUnit {
            name: name.clone(),
            cost: *cost,
            known: None,
        };
        costs.iter().map(unit).collect()
    }

    /// Returns the shard of each unit by name.
    fn divided(units: &[ShardUnit], file: &str, total: u32) -> BTreeMap<String, u32> {
        let names = units.iter().map(|unit| unit.name.clone());
        names.zip(divide_into_shards(units, file, total)).collect()
    }

    fn numbered(number: usize, cost: u64) -> Vec<ShardUnit> {
        let name = |index| format!("file::group::function::case_{index}");
        let unit = |index| ShardUnit { name: name(index), cost, known: None };
        (0..number).map(unit).collect()
    }

    /// Returns the number of units in each shard.
    fn sizes(units: &[ShardUnit], file: &str, total: u32) -> Vec<usize> {
        let shards = divide_into_shards(units, file, total);
        let size = |shard| shards.iter().filter(|&&other| other == shard).count();
        (1..=total).map(size).collect()
    }

    proptest! {
        #[test]
        fn each_unit_has_a_shard_whichever_order_they_have(
            costs in btree_map("[a-z]{1,8}", 0..u64::MAX, 0..40),
            total in 1..9_u32,
        ) {
            let mut units = units(&costs);
            let expected = divided(&units, "file", total);
            prop_assert_eq!(expected.len(), costs.len());
            prop_assert!(expected.values().all(|shard| (1..=total).contains(shard)));
            units.reverse();
            prop_assert_eq!(divided(&units, "file", total), expected);
        }

        // The most expensive shard is at most as much above the mean as the most expensive unit.
        #[test]
        fn costs_are_balanced(
            costs in btree_map("[a-z]{1,8}", 1..1_000_000_u64, 1..60),
            total in 1..9_u32,
        ) {
            let units = units(&costs);
            let shards = divide_into_shards(&units, "file", total);
            let cost = |shard: u32| -> u64 {
                let costs = units.iter().zip(&shards).filter(|(_, other)| **other == shard);
                costs.map(|(unit, _)| unit.cost).sum()
            };
            let most = (1..=total).map(cost).max().unwrap();
            let sum: u64 = costs.values().sum();
            prop_assert!(most <= sum / u64::from(total) + costs.values().max().unwrap());
        }
    }

    #[test]
    fn without_costs_the_numbers_are_balanced() {
        for cost in [0, 1, 7] {
            let mut sizes = sizes(&numbered(18, cost), "file", 5);
            sizes.sort_unstable();
            assert_eq!(sizes, [3, 3, 4, 4, 4]);
        }
    }

    #[test]
    fn neighbours_by_name_are_not_dealt_in_turn() {
        let units: Vec<_> = (0..40)
            .flat_map(|index| {
                ["large", "small"].map(|id| format!("file::group::f{index:02}::{id}"))
            })
            .map(|name| ShardUnit { name, cost: 1, known: None })
            .collect();
        let large = divided(&units, "file", 2).into_iter();
        let large = large.filter(|(name, shard)| name.ends_with("large") && *shard == 1).count();
        assert!((10..=30).contains(&large), "{large} of 40");
    }

    #[test]
    fn small_files_share_the_shards() {
        let first = |file: &str| divide_into_shards(&numbered(1, 1), file, 5)[0];
        let shards: std::collections::BTreeSet<_> =
            (0..30).map(|number| first(&format!("package/file_{number}"))).collect();
        assert_eq!(shards.len(), 5);
    }

    #[test]
    fn a_known_shard_stays() {
        let mut units = numbered(8, 1);
        let before = divide_into_shards(&units, "file", 3);
        for (unit, shard) in units.iter_mut().zip(&before) {
            unit.known = Some(*shard);
        }
        let new =
            ["a", "b", "c"].map(|name| ShardUnit { name: name.to_owned(), cost: 1, known: None });
        units.splice(0..0, new);
        let after = divide_into_shards(&units, "file", 3);
        assert_eq!(after[3..], before);
        assert_eq!(divide_into_shards(&units, "other", 3)[3..], before);
        let mut sizes = sizes(&units, "file", 3);
        sizes.sort_unstable();
        assert_eq!(sizes, [3, 4, 4], "the new ones balance the others");
    }

    #[test]
    fn the_partition_is_the_same_in_each_version() {
        let shards = divide_into_shards(&numbered(8, 1), "package/file", 3);
        assert_eq!(shards, [2, 1, 3, 3, 2, 1, 1, 3]);
    }
}
