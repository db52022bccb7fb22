//! Files that are there whole or not at all.
//!
//! A file is written under a temporary name in the folder where it will be, flushed to the disk and then renamed. Whoever looks
//! for its name finds what stood there before or all of the new file, even if the program is killed or the machine stops.
//!
//! A run that is killed leaves its temporary file behind. The name tells whose it is, `.NAME.PID-N.tmp`, and a lock that the
//! system releases with the process tells whether it is still being written, so [`remove_leftovers`] knows what it may remove.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// End of a temporary name.
const TEMPORARY_END: &str = ".tmp";

/// A file that gets its name when it is [published](Self::publish). Dropped before that, it is removed.
///
/// Writes go to the system as they come; put a [`BufWriter`](io::BufWriter) around it for small ones.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    /// Where the file is until it has its name.
    temporary: Option<PathBuf>,
    /// Open, and so locked, as long as the temporary name is in use.
    file: File,
}

/// Why a file did not get its name, or got one that may not survive a crash of the machine.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} it: {cause}")]
pub struct PublishError {
    /// What was tried: `flush`, `rename` or, after it was renamed, `flush the folder of`.
    pub action: &'static str,
    /// What the system said.
    pub cause: io::Error,
}

impl From<PublishError> for io::Error {
    fn from(error: PublishError) -> io::Error {
        error.cause
    }
}

impl AtomicFile {
    /// Begins the file that will be at `path`, in place of one that may be there.
    ///
    /// # Errors
    /// The folder is missing or read-only, or the path does not end in a file name.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name"))?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let temporary = path.with_file_name(temporary_name(name, process::id(), number));
            let file = match File::create_new(&temporary) {
                Ok(file) => file,
                // A killed process of the same number left it behind; the next name is free.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // Where the system has no locks, leftovers stay until somebody removes them.
            let _ = file.try_lock();
            // Before it was locked, another process may have taken it for a leftover.
            if temporary.exists() {
                return Ok(AtomicFile { path: path.to_owned(), temporary: Some(temporary), file });
            }
        }
    }

    /// Where the file will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file is now.
    #[must_use]
    pub fn current_path(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.path)
    }

    /// Waits until all that was written is on the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Waits until all of the file is on the disk, gives it its name and waits until that is on the disk as well.
    ///
    /// # Errors
    /// [`PublishError`]; the temporary file is gone then. The file is in place only if the last step failed, making its
    /// name durable.
    pub fn publish(self) -> Result<(), PublishError> {
        self.sync().map_err(|cause| PublishError { action: "flush", cause })?;
        self.publish_synced()
    }

    /// As [`publish`](Self::publish), of a file that was [synced](Self::sync) after the last write.
    ///
    /// # Errors
    /// As [`publish`](Self::publish).
    pub fn publish_synced(mut self) -> Result<(), PublishError> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.path).map_err(|cause| PublishError { action: "rename", cause })?;
            self.temporary = None;
        }
        sync_folder(&self.path).map_err(|cause| PublishError { action: "flush the folder of", cause })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody could do anything about it here; the next run finds it by its name.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Removes what killed runs left behind of a file. What another process is still writing stays, and so does what cannot be
/// removed or locked.
pub fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    for entry in entries.flatten() {
        if target_name(&entry.file_name()) != Some(name.as_encoded_bytes())
            || !entry.file_type().is_ok_and(|kind| kind.is_file())
        {
            continue;
        }
        let leftover = entry.path();
        let Ok(file) = File::options().write(true).open(&leftover) else { continue };
        match file.try_lock() {
            Ok(()) => {
                let _ = fs::remove_file(leftover);
            }
            // Locked: somebody is writing it. Without locks nobody can tell.
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

/// Whether a file name is one that [`AtomicFile`] gives to unfinished files: `.NAME.PID-N.tmp`.
///
/// Such a file was left by a killed run, or is being written right now.
#[must_use]
pub fn is_temporary_name(name: &OsStr) -> bool {
    target_name(name).is_some()
}

fn temporary_name(name: &OsStr, process: u32, number: u64) -> OsString {
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{process}-{number}{TEMPORARY_END}"));
    temporary
}

/// The bytes of the name that a file with this temporary name will have; none if it is no temporary name.
fn target_name(temporary: &OsStr) -> Option<&[u8]> {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let inner = temporary.as_encoded_bytes().strip_prefix(b".")?.strip_suffix(TEMPORARY_END.as_bytes())?;
    let dot = inner.iter().rposition(|&byte| byte == b'.')?;
    let mut parts = inner[dot + 1..].splitn(2, |&byte| byte == b'-');
    let numbered = dot > 0 && parts.next().is_some_and(digits) && parts.next().is_some_and(digits);
    numbered.then(|| &inner[..dot])
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes a new name in a folder survive a crash, where the system can.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match File::open(folder_of(path)) {
        Ok(folder) => folder,
        // One may write to a folder without being allowed to read it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => return Err(error),
    };
    match folder.sync_all() {
        // Some network and user-space file systems cannot flush a folder.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Other systems cannot open folders as files; their renames are as durable as they get.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<OsString> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert!(is_temporary_name(file.current_path().file_name().unwrap()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.publish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mut dropped = AtomicFile::create(&path).unwrap();
        dropped.write_all(b"newer").unwrap();
        drop(dropped);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["out.csv"]);
        assert!(AtomicFile::create(Path::new("..")).is_err());
    }

    #[test]
    fn leftovers_of_killed_runs_go_and_files_in_use_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let others = [".other.csv.7-0.tmp", "out.csv.7.tmp", ".out.csv.tmp"];
        for name in others.iter().chain(&[".out.csv.7-0.tmp", ".out.csv.123-45.tmp"]) {
            fs::write(folder.path().join(name), "cut o").unwrap();
        }
        let open = AtomicFile::create(&path).unwrap();
        remove_leftovers(&path);
        let mut expected: Vec<OsString> = others.iter().map(OsString::from).collect();
        expected.push(open.current_path().file_name().unwrap().to_owned());
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        open.publish().unwrap();
        assert!(path.is_file());
        // Nothing to look through is no error.
        remove_leftovers(&folder.path().join("missing").join("out.csv"));
    }

    #[test]
    fn temporary_names_are_known() {
        let known = |name: &str| is_temporary_name(OsStr::new(name));
        assert!(known(".RL-E.dsq.123-0.tmp") && known(".a.1-1.tmp"));
        for name in [
            "RL-E.dsq",
            ".lock",
            ".tmp",
            "..tmp",
            ".a.tmp",
            ".a.1.tmp",
            ".a.-1.tmp",
            ".a.1-.tmp",
            "a.1-1.tmp",
            ".a.1-1",
            ".1-1.tmp",
            ".a.1-1-1.tmp",
            "..1-1.tmp",
            ".a.x-1.tmp",
        ] {
            assert!(!known(name), "{name}");
        }
    }
}
