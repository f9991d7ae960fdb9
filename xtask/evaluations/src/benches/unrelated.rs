//! A function that no benchmark calls. It moves the code of those that do.

#[inline(never)]
pub fn unrelated(text: &str) -> String {
    let mut words: Vec<String> = text.split(',').map(|word| format!("<{word}>")).collect();
    words.sort();
    if words.is_empty() {
        panic!("an unrelated text");
    }
    words.join("an unrelated separator")
}

#[used]
static UNRELATED: fn(&str) -> String = unrelated;
