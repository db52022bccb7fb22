//! Which words of a command line form one FEN: quoted or not, a position can be typed either way.

/// Groups words into FENs.
///
/// A word with a space in it is a whole FEN. A word without one that has a `/` or is `startpos` begins a FEN, and the words
/// after it (side to move, counters) belong to it, up to the next that is a FEN or begins one.
pub fn group(words: &[String]) -> Vec<String> {
    let mut fens: Vec<String> = Vec::new();
    // True while further words belong to the last FEN.
    let mut open = false;
    for word in words {
        let whole = word.trim().contains(char::is_whitespace);
        let begins = word.contains('/') || word == "startpos";
        match fens.last_mut() {
            Some(last) if open && !whole && !begins => {
                last.push(' ');
                last.push_str(word);
            }
            _ => fens.push(word.clone()),
        }
        if whole || begins {
            open = !whole;
        }
    }
    fens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(words: &[&str]) -> Vec<String> {
        group(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn quoted_positions_stand_alone() {
        assert_eq!(grouped(&["7/7 w", "7/E6 b - - 1 2"]), ["7/7 w", "7/E6 b - - 1 2"]);
    }

    #[test]
    fn unquoted_words_are_put_together() {
        assert_eq!(grouped(&["7/7", "w"]), ["7/7 w"]);
        assert_eq!(
            grouped(&["7/7", "w", "-", "-", "3", "4", "startpos", "7/E6", "black"]),
            ["7/7 w - - 3 4", "startpos", "7/E6 black"]
        );
        assert_eq!(grouped(&["startpos", "b", "7/7 w", "7/7", "w"]), ["startpos b", "7/7 w", "7/7 w"]);
    }

    #[test]
    fn what_is_no_position_is_kept_to_be_refused() {
        assert_eq!(grouped(&["7/7", "x"]), ["7/7 x"]);
        assert_eq!(grouped(&["7/7 w", "w"]), ["7/7 w", "w"]);
        assert_eq!(grouped(&["hello", "world"]), ["hello", "world"]);
        assert_eq!(grouped(&["", " "]), ["", " "]);
        assert!(grouped(&[]).is_empty());
    }
}
