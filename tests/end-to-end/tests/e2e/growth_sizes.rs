//! Sizes of inputs: the ids of generated cases, and the sizes and curves that results have.

use end_to_end_tests::Suite;
use end_to_end_tests::growth::{curves, expected};

#[test]
fn results_have_the_size_and_the_curve_of_their_case() {
    let suite = Suite::new("growth_sizes");
    let _ = suite.run(&[]).expect(0);
    let expected = expected([
        ("commands::echo", &[1]),
        ("commands::echo n_text_a", &[1, 2]),
        ("commands::echo n_text_b", &[1, 2]),
        ("functions::constants n", &[1, 8]),
        ("functions::forms", &[1, 4, 8, 1024]),
        ("functions::forms args", &[1, 5]),
        ("functions::forms file", &[0, 3, 9, 15]),
        ("functions::forms iter", &[1, 2]),
        ("functions::limits n", &[8, 64, 512, 4096, 8192]),
        ("functions::limits own", &[8, 64, 512, 4096, 8192]),
        ("functions::lines m_CrLf", &[1, 8, 64]),
        ("functions::lines m_Lf", &[1, 8, 64]),
        ("functions::lines named_ending_cr_lf", &[1, 8]),
        ("functions::lines named_ending_lf", &[1, 8]),
        ("functions::ranges dense", &[0, 256, 512, 768, 1024]),
        ("functions::ranges factor", &[1, 2, 4, 8]),
        ("functions::ranges iter", &[8, 64, 512, 1024]),
        ("functions::ranges n", &[8, 64, 512, 4096, 8192]),
        ("functions::ranges own", &[64, 4096]),
        ("functions::ranges steps", &[3, 4, 5]),
        ("functions::setups", &[5]),
        ("functions::setups closure", &[8, 64]),
        ("functions::setups n", &[8, 64]),
        ("functions::tables area", &[4, 6, 8, 12]),
        ("functions::tables rows_columns_1", &[1, 2]),
        ("functions::tables rows_columns_2", &[1, 2]),
        ("functions::without throughput", &[10, 20]),
    ]);
    assert_eq!(curves(&suite), expected);
}
