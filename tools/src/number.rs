//! Numbers for people, with and without their nouns. The only file with casts between integers and floating point.

/// A number as floating point; the last digits of very large ones are lost.
pub fn float(number: u64) -> f64 {
    number as f64
}

/// The nearest whole number; 0 for what is below 0 or no number.
pub fn rounded(number: f64) -> u64 {
    number.round() as u64
}

/// A length or count in memory.
pub fn whole(count: usize) -> u64 {
    // No machine has lengths past 64 bits.
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A time in whole milliseconds.
pub fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// With commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the plural unless it is one.
pub fn count(number: u64, noun: &str) -> String {
    let noun = match noun {
        noun if number == 1 => noun.to_owned(),
        noun if noun.ends_with("ply") => format!("{}ies", noun.trim_end_matches('y')),
        noun if noun.ends_with('s') => format!("{noun}es"),
        noun => format!("{noun}s"),
    };
    format!("{} {noun}", grouped(number))
}

/// A number of plies.
pub fn plies(plies: u32) -> String {
    count(plies.into(), "ply")
}

/// A number of bytes, in powers of 1000.
pub fn bytes(number: u64) -> String {
    scaled(float(number), &["bytes", "kB", "MB", "GB", "TB", "PB", "EB"])
}

/// A number of positions a second.
pub fn rate(number: u64, seconds: f64) -> String {
    let text = scaled(if seconds > 0.0 { float(number) / seconds } else { 0.0 }, &["", "k", "M", "G", "T"]);
    format!("{} positions/s", text.trim_end())
}

fn scaled(number: f64, units: &[&str]) -> String {
    let mut rest = number;
    let mut unit = 0;
    while rest >= 999.5 && unit + 1 < units.len() {
        rest /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || rest >= 99.95 { 0 } else { 1 };
    format!("{rest:.digits$} {}", units[unit])
}

/// A time.
pub fn duration(seconds: f64) -> String {
    let whole = rounded(seconds);
    match whole {
        0 if seconds < 0.000_95 => "under 1 ms".to_owned(),
        0 if seconds < 0.099_5 => format!("{:.0} ms", seconds * 1000.0),
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..172_800 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        _ => count(whole / 86_400, "day"),
    }
}

/// Bits for each of some positions, to four digits after the point; none if there are no positions.
pub fn bits_per_position(bytes: u64, positions: u64) -> Option<f64> {
    (positions > 0).then(|| (float(bytes) * 80_000.0 / float(positions)).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        let texts = [0, 7, 999, 1000, 54_354_684, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "54,354,684", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn nouns_are_in_the_plural_unless_there_is_one() {
        let words = ["table", "ply", "class", "more fault"];
        assert_eq!(words.map(|word| count(0, word)), ["0 tables", "0 plies", "0 classes", "0 more faults"]);
        assert_eq!(words.map(|word| count(1, word)), ["1 table", "1 ply", "1 class", "1 more fault"]);
        assert_eq!(words.map(|word| count(2000, word))[2], "2,000 classes");
    }

    #[test]
    fn bytes_and_rates_have_three_digits() {
        assert_eq!(
            [0, 999, 1000, 12_345, 999_900, 150_000_000].map(bytes),
            ["0 bytes", "999 bytes", "1.0 kB", "12.3 kB", "1.0 MB", "150 MB"]
        );
        assert_eq!(rate(5_000_000, 2.0), "2.5 M positions/s");
        assert_eq!(rate(5, 0.0), "0 positions/s");
    }

    #[test]
    fn times_are_read_at_a_glance() {
        assert_eq!(
            [0.0004, 0.04, 0.1, 59.4, 59.9, 83.0, 7300.0].map(duration),
            ["under 1 ms", "40 ms", "0.1 s", "59.4 s", "1 min 0 s", "1 min 23 s", "2 h 1 min"]
        );
    }

    #[test]
    fn bits_need_positions() {
        assert_eq!(bits_per_position(1, 16), Some(0.5));
        assert_eq!(bits_per_position(1, 0), None);
    }
}
