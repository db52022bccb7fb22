//! Ending an engine with everything it has started.
//!
//! Each engine leads a process group of its own, which is killed as a whole. On Linux the program also adopts what leaves
//! that group (a child that becomes a daemon) and kills it when the last engine has ended.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The engines that are at work.
static LIVE: Mutex<Live> = Mutex::new(Live { leaders: Vec::new(), closed: false });

struct Live {
    /// The process ids of those who lead the groups.
    leaders: Vec<u32>,
    /// True once the program ends, and nothing may be started any more.
    closed: bool,
}

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a command as the leader of a new group.
pub fn start(command: &mut Command) -> io::Result<Child> {
    // Held while it starts, so that nobody takes the new child for a stray one.
    let mut live = live();
    if live.closed {
        return Err(io::Error::other("the program ends"));
    }
    system::prepare(command);
    let child = command.spawn()?;
    live.leaders.push(child.id());
    Ok(child)
}

/// Kills an engine and its group, and waits for all of them.
pub fn end(child: &mut Child) -> io::Result<ExitStatus> {
    // Held until the number is taken off the list: once the process has been waited for, somebody else can get its number. For
    // the same reason its group is killed before that.
    let mut live = live();
    system::kill_group(child);
    let status = child.wait();
    system::wait_for_group(child);
    live.leaders.retain(|&other| other != child.id());
    if live.leaders.is_empty() {
        system::end_strays();
    }
    status
}

/// Kills all engines at once, for a program that ends without looking back. None can be started from then on.
pub fn end_all() {
    let mut live = live();
    live.closed = true;
    for &leader in &live.leaders {
        system::kill_leader(leader);
    }
    // Now they are strays themselves: nobody else will wait for them.
    system::end_strays();
}

/// True if the process has ended, which is not waited for.
pub fn has_ended(child: &mut Child) -> bool {
    system::has_ended(child)
}

#[cfg(unix)]
mod system {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, waitid, waitpgid};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    /// How long it takes at most until what was killed is gone.
    const DEATH: Duration = Duration::from_secs(5);
    const PAUSE: Duration = Duration::from_millis(1);

    pub fn prepare(command: &mut Command) {
        // Where the system cannot do this, only the group is ended.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        command.process_group(0);
    }

    pub fn kill_group(child: &Child) {
        // It fails only if nobody is left.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    pub fn kill_leader(leader: u32) {
        if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    /// Waits for those of the group that have become children of this process.
    pub fn wait_for_group(child: &Child) {
        let begin = Instant::now();
        while begin.elapsed() < DEATH {
            match waitpgid(Pid::from_child(child), WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => std::thread::sleep(PAUSE),
                Err(_) => return,
            }
        }
    }

    pub fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(Some(_)) | Err(_))
    }

    /// Kills and waits for all children of this process: when no engine is at work, or none shall be any more.
    #[cfg(target_os = "linux")]
    pub fn end_strays() {
        let begin = Instant::now();
        // What is killed may leave children of its own, which come here as well.
        while begin.elapsed() < DEATH {
            let strays = children();
            if strays.is_empty() {
                return;
            }
            for &stray in &strays {
                let _ = rustix::process::kill_process(stray, Signal::KILL);
                let _ = rustix::process::waitpid(Some(stray), WaitOptions::NOHANG);
            }
            std::thread::sleep(PAUSE);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn end_strays() {}

    #[cfg(target_os = "linux")]
    fn children() -> Vec<Pid> {
        let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
        let own = std::process::id();
        let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        numbers
            .filter(|&number| parent(number) == Some(own))
            .filter_map(|number| Pid::from_raw(number.try_into().ok()?))
            .collect()
    }

    /// The parent of a process. The name in brackets before it can hold anything.
    #[cfg(target_os = "linux")]
    fn parent(process: u32) -> Option<u32> {
        let stat = std::fs::read(format!("/proc/{process}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Child, Command};

    pub fn prepare(_command: &mut Command) {}

    pub fn kill_group(child: &mut Child) {
        let _ = child.kill();
    }

    pub fn kill_leader(_leader: u32) {}

    pub fn wait_for_group(_child: &Child) {}

    pub fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub fn end_strays() {}
}
