//! Files of results, as those of `--output` and `--html`.

use crate::error::Failure;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is being written. An ordinary file gets its name only when it is complete, so that what stood there before is
/// lost to nothing but a whole new file.
pub struct Target {
    path: PathBuf,
    temporary: Option<PathBuf>,
    file: BufWriter<File>,
}

impl Target {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Target, Failure> {
        let ordinary = fs::metadata(path).map_or(true, |metadata| metadata.is_file());
        let temporary = ordinary.then(|| {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}.tmp", std::process::id()));
            path.with_file_name(name)
        });
        let file = match &temporary {
            Some(temporary) => File::create(temporary),
            // A pipe or a device: written as it is.
            None => File::options().write(true).open(path),
        };
        let file = file.map_err(|error| Failure::file(path, &error))?;
        Ok(Target { path: path.to_owned(), temporary, file: BufWriter::new(file) })
    }

    /// Ends the file: gives it its name if all was written, else it is removed.
    pub fn finish(mut self, written: Result<(), Failure>) -> Result<(), Failure> {
        let ended = written.and_then(|()| self.complete().map_err(Failure::output));
        // A bare error of writing speaks of standard output; here it is the file.
        ended.map_err(|failure| match failure {
            Failure::Said(code, words) => match words.strip_prefix("standard output: ") {
                Some(reason) => Failure::Said(code, format!("{}: {reason}", self.path.display())),
                None => Failure::Said(code, words),
            },
            Failure::Closed => Failure::Closed,
        })
    }

    fn complete(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match &self.temporary {
            Some(temporary) => {
                self.file.get_ref().sync_all()?;
                fs::rename(temporary, &self.path)?;
                self.temporary = None;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It has no name yet: not all of it was written. The first error is the one to report.
        if let Some(temporary) = self.temporary.take() {
            let _ = fs::remove_file(temporary);
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
