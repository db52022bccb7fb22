//! Files of results, as those of `--output` and `--html`.

use crate::error::Failure;
use dsq_tables::atomic_file::{AtomicFile, remove_leftovers};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is being written. An ordinary file gets its name only when it is complete, so that what stood there before is
/// lost to nothing but a whole new file.
pub struct Target {
    path: PathBuf,
    file: BufWriter<Output>,
}

enum Output {
    /// An ordinary file, which gets its name in the end.
    File(AtomicFile),
    /// A pipe or a device: written as it is.
    Device(File),
}

impl Target {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Target, Failure> {
        let ordinary = fs::metadata(path).map_or(true, |metadata| metadata.is_file());
        let output = if ordinary {
            // What an export that was killed left of this file.
            remove_leftovers(path);
            AtomicFile::create(path).map(Output::File)
        } else {
            File::options().write(true).open(path).map(Output::Device)
        };
        let output = output.map_err(|error| Failure::file(path, &error))?;
        Ok(Target { path: path.to_owned(), file: BufWriter::new(output) })
    }

    /// Ends the file: gives it its name if all was written, else it is removed.
    pub fn finish(self, written: Result<(), Failure>) -> Result<(), Failure> {
        let Target { path, file } = self;
        let ended = written.and_then(|()| complete(file).map_err(Failure::output));
        // A bare error of writing speaks of standard output; here it is the file.
        ended.map_err(|failure| match failure {
            Failure::Said(code, words) => match words.strip_prefix("standard output: ") {
                Some(reason) => Failure::Said(code, format!("{}: {reason}", path.display())),
                None => Failure::Said(code, words),
            },
            Failure::Closed => Failure::Closed,
        })
    }
}

fn complete(file: BufWriter<Output>) -> io::Result<()> {
    match file.into_inner().map_err(io::IntoInnerError::into_error)? {
        Output::File(file) => Ok(file.publish()?),
        Output::Device(mut file) => file.flush(),
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

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Device(file) => file.flush(),
        }
    }
}
