//! The folder of the tables: who works in it, what killed runs left in it, how much room it has.

use super::error::GenerateError;
use super::machine::free_space;
use super::plan::Plan;
use super::report::Observer;
use dsq_tables::atomic_file::is_temporary_name;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// How often a waiting run tries again.
const PATIENCE: Duration = Duration::from_millis(200);

/// An error of the system about a file or folder.
fn io_error(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> GenerateError {
    let path = path.to_owned();
    move |cause: io::Error| GenerateError::Io { path, action, cause }
}

/// Takes the lock of the folder, waiting for another run if there is one.
pub fn lock(folder: &Path, observer: &dyn Observer) -> Result<File, GenerateError> {
    fs::create_dir_all(folder).map_err(io_error(folder, "make the folder"))?;
    let path = folder.join(".lock");
    // Whatever else lies there is left as it is; a pipe would not even open.
    if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(io_error(&path, "lock")(io::Error::other("it is not a regular file")));
    }
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(io_error(&path, "open for writing"))?;
    let mut noted = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if observer.stop() => return Err(GenerateError::Stopped),
            Err(TryLockError::WouldBlock) => {
                if !noted {
                    observer.note(&format!("{}: another run is at work here; waiting for it", folder.display()));
                    noted = true;
                }
                std::thread::sleep(PATIENCE);
            }
            Err(TryLockError::Error(cause)) => return Err(io_error(&path, "lock")(cause)),
        }
    }
}

/// Removes the temporary files in a locked folder: nobody is writing them any more.
pub fn remove_leftovers(folder: &Path, observer: &dyn Observer) -> Result<(), GenerateError> {
    for entry in fs::read_dir(folder).map_err(io_error(folder, "read"))?.flatten() {
        if is_temporary_name(&entry.file_name()) {
            fs::remove_file(entry.path()).map_err(io_error(folder, "remove a temporary file in"))?;
            observer.note(&format!("{}: left by a run that was killed; removed", entry.path().display()));
        }
    }
    Ok(())
}

/// Whether the file systems have room for the tables that are still to be made, and for the files of the work on them.
///
/// # Errors
/// [`GenerateError::NoRoom`] if one has not. Where the system does not say, it is tried.
pub fn check_room(plan: &Plan, folder: &Path, work_folder: Option<&Path>) -> Result<(), GenerateError> {
    match work_folder {
        Some(work_folder) => {
            has_room(folder, plan.disk_bytes)?;
            has_room(work_folder, plan.work_bytes)
        }
        None => has_room(folder, plan.disk_bytes.saturating_add(plan.work_bytes)),
    }
}

fn has_room(folder: &Path, needed: u64) -> Result<(), GenerateError> {
    match free_space(folder) {
        Some(free) if free < needed => Err(GenerateError::NoRoom { folder: folder.to_owned(), needed, free }),
        _ => Ok(()),
    }
}
