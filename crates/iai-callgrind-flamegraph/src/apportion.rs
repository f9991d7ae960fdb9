//! Integers split in proportion, without losing a unit.

/// Splits `total` in proportion to the weights, by the method of largest remainders: each share is the
/// exact one rounded up or down, and their sum is `total`. If that is at most the sum of the weights, no
/// share is larger than its weight. Without any weight all shares are zero.
pub(super) fn apportion(total: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let exact = |weight: u64| u128::from(total) * u128::from(weight);
    let whole = |weight| u64::try_from(exact(weight) / sum).unwrap_or(u64::MAX);
    let mut shares: Vec<u64> = weights.iter().map(|&weight| whole(weight)).collect();
    let missing = total - shares.iter().sum::<u64>();
    if missing > 0 {
        let mut order: Vec<_> = (0..weights.len()).collect();
        // Stable, so that the first one of two equals comes first
        order.sort_by_key(|&index| std::cmp::Reverse(exact(weights[index]) % sum));
        for &index in order.iter().take(usize::try_from(missing).unwrap_or(usize::MAX)) {
            shares[index] += 1;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_remainders_are_rounded_up() {
        assert_eq!(apportion(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(apportion(7, &[10, 0, 5]), [5, 0, 2]);
        assert_eq!(apportion(0, &[1, 2]), [0, 0]);
        assert_eq!(apportion(5, &[0, 0]), [0, 0]);
        assert_eq!(apportion(u64::MAX, &[u64::MAX, u64::MAX]), [1 << 63, (1 << 63) - 1]);
    }

    #[test]
    fn nothing_is_lost_and_no_share_exceeds_its_weight() {
        let weights = [3, 0, 17, 1, 1, 400, 6];
        let sum: u64 = weights.iter().sum();
        for total in 0..=sum {
            let shares = apportion(total, &weights);
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares.iter().zip(&weights).all(|(share, weight)| share <= weight));
        }
        assert_eq!(apportion(sum, &weights), weights);
    }
}
