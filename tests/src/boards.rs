//! Rule sets with other boards, so that nothing under test can rest on 63 squares, eight animals, four directions, two
//! rivers or a board that is its own mirror image.

use dsq_tables::rules::{RuleSpec, Rules};
use std::sync::Arc;

/// A rule set from the text of a rule file.
///
/// # Panics
/// If the text is none.
#[must_use]
pub fn compile(text: &str) -> Arc<Rules> {
    Arc::new(Rules::compile(RuleSpec::parse(text, "test").unwrap()).unwrap())
}

/// Small, dry, without traps; who takes whom goes in a circle.
pub const CIRCLE: &str = r#"
name = "circle"
board = """
..d..
.....
.....
.....
..D..
"""
[settings]
ranks = "R D T E"
elephant-takes-rat = false
rat-takes-elephant = "always"

[[animal]]
letter = "R"
name = "rat"
start = "e1"
[[animal]]
letter = "D"
name = "dog"
start = "b2"
[[animal]]
letter = "T"
name = "tiger"
start = "d2"
[[animal]]
letter = "E"
name = "elephant"
start = "a1"
"#;

/// More squares than a word of 64 bits has, steps in eight and in five directions, two swimmers, jumps of limited length,
/// traps that weaken everybody.
pub const WIDE: &str = r#"
name = "wide"
board = """
...tdt...
....t....
.........
..~~.~~..
~.~~.~~.~
..~~.~~..
.........
....T....
...TDT...
"""
[settings]
ranks = "R M D S P L E"
swimmers = "RD"
elephant-takes-rat = false
rat-takes-elephant = "land"
lion-jumps = "both"
leopard-jumps = "both:2"
traps = "universal"

[[animal]]
letter = "R"
name = "rat"
[[animal]]
letter = "M"
name = "monkey"
steps = "king"
[[animal]]
letter = "D"
name = "dog"
[[animal]]
letter = "S"
name = "snake"
steps = "silver"
[[animal]]
letter = "P"
name = "leopard"
[[animal]]
letter = "L"
name = "lion"
[[animal]]
letter = "E"
name = "elephant"
"#;

/// Nothing is like anything turned or mirrored, there are ten files, two dens of one side, and steps that cannot be taken
/// back.
pub const CROOKED: &str = r#"
name = "crooked"
board = """
..tdt....~
...td.....
.~........
.~~.~~....
.~~.~~.~..
.~~....~..
....T..t..
~..TDTT...
"""
[settings]
ranks = "R K (CT) L"
swimmers = "RK"
rat-takes-lion = "always"
lion-jumps = "files"
tiger-jumps = "ranks"
jump-stopped-by = "enemy"
tiger-jump-stopped-by = "any"
shore-captures = "any"
trap-barred = "own:L"
no-move = "draw"

[[animal]]
letter = "R"
name = "rat"
[[animal]]
letter = "K"
name = "knight"
steps = [[1, 2], [-1, 2], [2, 1], [0, -1]]
[[animal]]
letter = "C"
name = "cat"
steps = [[0, 1], [1, 0], [-1, 0], [-1, -1]]
[[animal]]
letter = "T"
name = "tiger"
[[animal]]
letter = "L"
name = "lion"

[[capture]]
attacker = "C"
victim = "K"
to = "water"
allowed = false
"#;

/// The board has a mirror, and two of the animals are the mirror images of each other, each without a mirror.
pub const HANDED: &str = r#"
name = "handed"
board = """
.~dd~.
......
.~TT~.
......
~.DD.~
"""
[settings]
ranks = "R (NM) C"
swimmers = "R"
cat-jumps = "both"

[[animal]]
letter = "R"
name = "rat"
[[animal]]
letter = "N"
name = "knight"
steps = [[1, 2], [1, 0], [0, 1], [0, -1]]
[[animal]]
letter = "M"
name = "mare"
steps = [[-1, 2], [-1, 0], [0, 1], [0, -1]]
[[animal]]
letter = "C"
name = "cat"
"#;

/// The board is the same turned by 180 degrees with the colours swapped, but has no mirror and is not the same upside down.
pub const TURNED: &str = r#"
name = "turned"
board = """
~..d.
..t.~
.....
~.T..
.D..~
"""
[settings]
ranks = "R N C"
swimmers = "R"
cat-jumps = "both"

[[animal]]
letter = "R"
name = "rat"
[[animal]]
letter = "N"
name = "knight"
steps = [[1, 2], [1, 0], [0, 1], [0, -1]]
[[animal]]
letter = "C"
name = "cat"
"#;
