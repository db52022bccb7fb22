//! The program under test: built as the tests are, run in a folder of the test.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::Duration;

/// No call of the tests takes nearly as long on any machine; what does hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The program, built in the same profile as the tests.
///
/// # Panics
/// If it cannot be built.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build)
}

/// `cargo test` builds programs only for the tests of their own package, so this one has to be asked for. It takes no time
/// where it is there.
fn build() -> PathBuf {
    // TARGET/PROFILE/deps/TEST
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let profile = match folder.file_name().and_then(|name| name.to_str()).unwrap() {
        "debug" => "dev",
        name => name,
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(cargo)
        .current_dir(workspace)
        .args(["build", "--quiet", "--workspace", "--bin", "dsq", "--profile", profile, "--target-dir"])
        .arg(folder.parent().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let binary = folder.join(format!("dsq{}", std::env::consts::EXE_SUFFIX));
    assert!(binary.is_file(), "{} is not there", binary.display());
    binary
}

/// How the program is called.
#[derive(Clone, Debug)]
pub struct Dsq {
    options: Vec<String>,
    program: PathBuf,
}

impl Dsq {
    /// With the tables in this folder.
    ///
    /// # Panics
    /// If the path is no UTF-8.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Dsq {
        let options = vec!["--dir".to_owned(), folder.to_str().unwrap().to_owned()];
        Dsq { options, program: binary().to_owned() }
    }

    /// With this rule set.
    #[must_use]
    pub fn rules(self, name: &str) -> Dsq {
        self.option("--rules").option(name)
    }

    /// With one more word before the verb.
    #[must_use]
    pub fn option(mut self, word: &str) -> Dsq {
        self.options.push(word.to_owned());
        self
    }

    /// With JSON.
    #[must_use]
    pub fn json(self) -> Dsq {
        self.option("--json")
    }

    /// From another copy of the program.
    #[must_use]
    pub fn program(mut self, program: &Path) -> Dsq {
        self.program = program.to_owned();
        self
    }

    /// The call, for whoever wants to do something unusual with it.
    #[must_use]
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.options).args(words).env_remove("DSQ_DIR");
        command
    }

    /// The call behind a few words of shell.
    ///
    /// # Panics
    /// If a path is no UTF-8.
    #[must_use]
    pub fn in_shell(&self, before: &str, words: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{before}; exec \"$@\""), "sh"]);
        command.arg(&self.program).args(&self.options).args(words).env_remove("DSQ_DIR");
        command
    }

    /// Runs it to the end.
    ///
    /// # Panics
    /// If it cannot be started or does not end.
    #[must_use]
    pub fn run(&self, words: &[&str]) -> Ran {
        self.run_with_input(words, "")
    }

    /// Runs it to the end with something on standard input.
    ///
    /// # Panics
    /// If it cannot be started or does not end.
    #[must_use]
    pub fn run_with_input(&self, words: &[&str], input: impl Into<Vec<u8>>) -> Ran {
        run(self.command(words), input)
    }
}

/// Runs any call to the end.
///
/// # Panics
/// If it cannot be started or does not end.
#[must_use]
pub fn run(command: Command, input: impl Into<Vec<u8>>) -> Ran {
    let words = format!("{command:?}");
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.timeout(PATIENCE).write_stdin(input).output().unwrap();
    Ran::new(words, output)
}

/// What a call did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The call.
    pub words: String,
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// From what the system says about it.
    ///
    /// # Panics
    /// If it printed what is no UTF-8, or panicked.
    #[must_use]
    pub fn new(words: String, output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ran = Ran { words, code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!ran.stderr.contains("panicked"), "{ran:#?}");
        ran
    }

    /// The same, once it is sure that the exit code is this one.
    ///
    /// # Panics
    /// If it is another.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// The one line on standard error that an unsuccessful call ends with; standard output is empty.
    ///
    /// # Panics
    /// If there are more or none, if the code is another, or if there is other output.
    #[track_caller]
    pub fn refused_with(self, code: i32) -> String {
        let ran = self.expect_code(code);
        assert_eq!(ran.stdout, "", "{ran:#?}");
        ran.error_line()
    }

    /// The only line on standard error.
    ///
    /// # Panics
    /// If there are more or none.
    #[track_caller]
    pub fn error_line(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().collect();
        let [line] = lines.as_slice() else { panic!("not one line on standard error: {self:#?}") };
        assert!(self.stderr.ends_with('\n') && line.starts_with("dsq: "), "{self:#?}");
        (*line).to_owned()
    }

    /// Standard output as JSON, one object a line; nothing on standard error.
    ///
    /// # Panics
    /// If it is something else.
    #[must_use]
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:#?}"))).collect()
    }

    /// Standard output as one JSON object.
    ///
    /// # Panics
    /// If it is something else.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{self:#?}");
        lines.remove(0)
    }
}
