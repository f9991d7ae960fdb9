//! Inputs that are the same in each run.

pub fn random() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

pub fn numbers(len: usize) -> Vec<u64> {
    random().take(len).collect()
}

pub fn small_numbers(len: usize) -> Vec<u32> {
    random().map(|number| (number % 1000) as u32).take(len).collect()
}

pub fn floats(len: usize) -> Vec<f64> {
    random().map(|number| (number >> 11) as f64 / 9e12).take(len).collect()
}

pub fn bytes(len: usize) -> Vec<u8> {
    random().map(|number| number as u8).take(len).collect()
}

fn letters(number: u64) -> impl Iterator<Item = char> {
    (0..3 + number % 8).map(move |at| char::from(b'a' + (number >> (at * 5) & 15) as u8))
}

pub fn words(len: usize) -> Vec<String> {
    random().map(|number| letters(number).collect()).take(len).collect()
}

/// Returns words in one allocation: the first allocation of the measured function would join the freed blocks of others.
pub fn text(words: usize) -> String {
    let mut text = String::with_capacity(words * 12);
    for number in random().take(words) {
        text.extend(letters(number));
        text.push(' ');
    }
    text
}

pub fn unicode(len: usize) -> String {
    let letters = ['a', 'ß', 'é', '語', ' ', 'z', '.', '🦀'];
    random().map(|number| letters[(number % 8) as usize]).take(len).collect()
}
