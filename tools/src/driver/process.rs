//! A command with bounded output: lines are cut, few of them wait, and an answer can only have so many.

use super::deadline::Deadline;
use super::fault::Fault;
use super::reap;
use crate::interrupt;
use crate::lines::read_piece;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest line that is understood; longer ones come in pieces.
const LONGEST_LINE: usize = 4096;
/// How many lines wait at most before the engine has to.
const WAITING: usize = 1024;
/// How much an engine may print before it answers.
const MOST_LINES: u64 = 100_000;
const MOST_BYTES: u64 = 16 << 20;
/// How many lines are kept for the report, and how much of each.
const KEPT_LINES: usize = 12;
const KEPT_CHARS: usize = 160;
/// How often it is looked whether somebody wants the program to end.
const PAUSE: Duration = Duration::from_millis(50);
/// How long an engine that has closed its output has to end by itself, and its standard error to be read.
const GRACE: Duration = Duration::from_secs(1);

/// A command that runs. It ends with this value, with everything it has started.
pub struct Process {
    child: Child,
    said: Sender<String>,
    lines: Receiver<Line>,
    /// Ends when standard error is closed.
    errors: Receiver<Line>,
    tail: Arc<Tail>,
    /// What has come since the last question.
    count: Count,
    /// The last thing that was said.
    question: String,
    /// How it has ended, once it has been waited for. From then on its number may be that of somebody else.
    ended: Option<Ended>,
}

/// How a process has ended.
struct Ended {
    how: String,
    /// Its exit code; none if it was killed.
    code: Option<i32>,
}

/// A line, or a part of one that is too long.
struct Line {
    text: String,
    bytes: u64,
    /// False if it goes on with an earlier part.
    begins: bool,
}

#[derive(Clone, Copy, Default)]
struct Count {
    lines: u64,
    bytes: u64,
}

/// The last lines that were exchanged.
#[derive(Default)]
struct Tail(Mutex<Exchanged>);

#[derive(Default)]
struct Exchanged {
    lines: VecDeque<String>,
    /// By the sign of the output, what it has printed of a line whose end has not come.
    begun: BTreeMap<char, Vec<u8>>,
}

impl Tail {
    fn lock(&self) -> MutexGuard<'_, Exchanged> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, sign: char, text: &str) {
        let mut exchanged = self.lock();
        if exchanged.lines.len() == KEPT_LINES {
            exchanged.lines.pop_front();
        }
        exchanged.lines.push_back(kept(sign, text));
    }

    /// Notices what has come from an output, to know of a line that has begun; nothing at its end.
    fn notice(&self, sign: char, bytes: &[u8]) {
        let mut exchanged = self.lock();
        let begun = exchanged.begun.entry(sign).or_default();
        let line = bytes.iter().rposition(|&byte| byte == b'\n').map(|end| end + 1);
        if line.is_some() || bytes.is_empty() {
            begun.clear();
        }
        // One byte more than a line can have tells that it comes in pieces, the first of which is a line by itself.
        let room = (LONGEST_LINE + 1).saturating_sub(begun.len());
        begun.extend(bytes[line.unwrap_or(0)..].iter().take(room));
    }

    /// The last lines, also those that have no end yet.
    fn lines(&self) -> Vec<String> {
        let exchanged = self.lock();
        let open = exchanged.begun.iter().filter(|(_, bytes)| !bytes.is_empty() && bytes.len() <= LONGEST_LINE);
        let open = open.map(|(&sign, bytes)| kept(sign, &String::from_utf8_lossy(bytes)) + " (no end of line)");
        let lines: Vec<String> = exchanged.lines.iter().cloned().chain(open).collect();
        lines[lines.len().saturating_sub(KEPT_LINES)..].to_vec()
    }
}

/// A line as it is kept: cut, and without characters that would do something to a terminal.
fn kept(sign: char, text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    [sign, ' '].into_iter().chain(text.chars().map(clean).take(KEPT_CHARS)).collect()
}

/// An output that tells what has come.
struct Noticed<'a, R> {
    output: R,
    sign: char,
    tail: &'a Tail,
}

impl<R: Read> Read for Noticed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.output.read(buffer)?;
        self.tail.notice(self.sign, &buffer[..length]);
        Ok(length)
    }
}

impl Process {
    /// Starts a command of the shell, in a folder if it is not the current one.
    pub fn start(command: &str, folder: Option<&Path>) -> Result<Process, Fault> {
        if interrupt::asked() {
            return Err(Fault::Stopped);
        }
        let mut shell = shell(command);
        if let Some(folder) = folder {
            shell.current_dir(folder);
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = reap::start(&mut shell).map_err(|error| Fault::Start { reason: error.to_string() })?;
        let tail = Arc::new(Tail::default());
        let (said, to_say) = mpsc::channel::<String>();
        let (sender, lines) = mpsc::sync_channel(WAITING);
        let (at_end, errors) = mpsc::sync_channel(0);
        // These threads end with the pipes. Nobody waits for them: whoever holds a pipe open must not hold us up.
        if let Some(mut input) = child.stdin.take() {
            std::thread::spawn(move || {
                for text in to_say {
                    if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(output) = child.stdout.take() {
            let tail = tail.clone();
            std::thread::spawn(move || listen(output, '<', &tail, Some(&sender)));
        }
        if let Some(output) = child.stderr.take() {
            let tail = tail.clone();
            // Nothing is sent, but the end is noticed.
            std::thread::spawn(move || {
                listen(output, '!', &tail, None);
                drop(at_end);
            });
        }
        let (count, question) = (Count::default(), String::new());
        Ok(Process { child, said, lines, errors, tail, count, question, ended: None })
    }

    /// Says a line. An engine that does not listen does not hold us up; that it does not answer is found out later.
    pub fn say(&mut self, line: &str) {
        self.tail.push('>', line);
        // The thread is gone if the engine has closed its input, which is found out in the same way.
        let _ = self.said.send(format!("{line}\n"));
        self.question = line.to_owned();
        self.count = Count::default();
    }

    /// Forgets what it has said without being asked.
    pub fn skip(&mut self) -> Result<(), Fault> {
        self.count = Count::default();
        loop {
            match self.lines.try_recv() {
                Ok(line) => self.weigh(&line)?,
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => return Err(self.closed()),
            }
        }
    }

    /// The next line it says.
    pub fn line(&mut self, deadline: Deadline) -> Result<String, Fault> {
        if let Some(line) = self.line_before(deadline)? {
            return Ok(line);
        }
        let ended = self.ended.is_some() || reap::has_ended(&mut self.child);
        Err(Fault::Timeout { question: self.question.clone(), millis: deadline.patience.as_millis(), ended })
    }

    /// The next line it says, none if there is none before a moment.
    pub fn line_before(&mut self, deadline: Deadline) -> Result<Option<String>, Fault> {
        loop {
            if interrupt::asked() {
                return Err(Fault::Stopped);
            }
            let left = deadline.at.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(PAUSE)) {
                Ok(line) => {
                    self.weigh(&line)?;
                    if line.begins {
                        return Ok(Some(line.text));
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.closed()),
            }
        }
    }

    /// The last lines that were exchanged.
    pub fn tail(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// The exit code, if it has been waited for and was not killed.
    pub fn exit_code(&self) -> Option<i32> {
        self.ended.as_ref().and_then(|ended| ended.code)
    }

    fn weigh(&mut self, line: &Line) -> Result<(), Fault> {
        self.count.lines += u64::from(line.begins);
        self.count.bytes += line.bytes;
        let Count { lines, bytes } = self.count;
        if lines > MOST_LINES || bytes > MOST_BYTES { Err(Fault::Flood { lines, bytes }) } else { Ok(()) }
    }

    /// What is to say of an engine that has closed its output.
    fn closed(&mut self) -> Fault {
        let begin = Instant::now();
        while self.ended.is_none() && !reap::has_ended(&mut self.child) {
            if begin.elapsed() > GRACE {
                return Fault::Crash { how: "it has closed its output and goes on".to_owned() };
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let how = self.end().to_owned();
        // What it has said about its end may still be on the way.
        let _ = self.errors.recv_timeout(GRACE);
        Fault::Crash { how }
    }

    /// Ends it, and says how it has ended.
    fn end(&mut self) -> &str {
        let child = &mut self.child;
        let ended = self.ended.get_or_insert_with(|| match reap::end(child) {
            Ok(status) => Ended { how: status.to_string(), code: status.code() },
            Err(error) => Ended { how: error.to_string(), code: None },
        });
        &ended.how
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// A command as the shell of the system understands it.
fn shell(command: &str) -> Command {
    let (program, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.arg(option).arg(command);
    shell
}

/// Passes the lines of an output on until it is closed or nobody listens.
fn listen(output: impl Read, sign: char, tail: &Tail, sender: Option<&SyncSender<Line>>) {
    let mut output = BufReader::new(Noticed { output, sign, tail });
    let mut begins = true;
    while let Ok(Some(piece)) = read_piece(&mut output, LONGEST_LINE) {
        let text = piece.text();
        if begins {
            tail.push(sign, &text);
        }
        let bytes = piece.bytes.len().try_into().unwrap_or(u64::MAX);
        if sender.is_some_and(|sender| sender.send(Line { text, bytes, begins }).is_err()) {
            return;
        }
        begins = piece.ends;
    }
}
