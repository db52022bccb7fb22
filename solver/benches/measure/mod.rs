//! Taking turns with a clock: samples, medians, what the system says of time and memory.

use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// One timed run of a contender.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Time on the clock.
    pub wall: Duration,
    /// Time of all threads on a processor, where the system says.
    pub cpu: Option<Duration>,
    /// The phases of it.
    pub phases: Vec<(String, Duration)>,
}

/// Collects the phases of a run.
#[derive(Default)]
pub struct Phases(Mutex<Vec<(String, Duration)>>);

impl Phases {
    /// Enters a phase; one with the name of another is added to it.
    pub fn add(&self, name: &str, time: Duration) {
        let mut phases = self.0.lock().expect("no phase panics");
        match phases.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum += time,
            None => phases.push((name.to_owned(), time)),
        }
    }
}

/// Something to time.
pub struct Contender<'a> {
    pub name: String,
    run: Box<dyn FnMut(&Phases) + 'a>,
    /// How often it runs in one sample.
    repeat: u32,
    /// True if its first run takes all the memory that it works with.
    first: bool,
    /// What that run added to the memory, in bytes.
    pub memory: Option<u64>,
    pub samples: Vec<Sample>,
}

/// A sample takes about so long at least.
const SHORTEST: Duration = Duration::from_millis(60);

impl<'a> Contender<'a> {
    pub fn new(name: impl Into<String>, run: impl FnMut(&Phases) + 'a) -> Contender<'a> {
        Contender { name: name.into(), run: Box::new(run), repeat: 1, first: false, memory: None, samples: Vec::new() }
    }

    /// The first of those that share their buffers: tells what memory it takes.
    pub fn first(mut self) -> Contender<'a> {
        self.first = true;
        self
    }

    /// Runs it twice without keeping the times: to see what memory it takes, and how long it takes when that is there.
    fn warm_up(&mut self) {
        let before = status("VmRSS");
        let reset = self.first && fs::write("/proc/self/clear_refs", "5").is_ok();
        (self.run)(&Phases::default());
        if reset && let (Some(before), Some(peak)) = (before, status("VmHWM")) {
            self.memory = Some(peak.saturating_sub(before));
        }
        let started = Instant::now();
        (self.run)(&Phases::default());
        let once = started.elapsed().max(Duration::from_micros(10));
        self.repeat = SHORTEST.as_micros().div_ceil(once.as_micros()).clamp(1, 1000) as u32;
    }

    fn sample(&mut self) {
        let phases = Phases::default();
        let (cpu, started) = (cpu_time(), Instant::now());
        for _ in 0..self.repeat {
            (self.run)(&phases);
        }
        let wall = started.elapsed() / self.repeat;
        let cpu = cpu.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before) / self.repeat);
        let mut phases = phases.0.into_inner().expect("no phase panics");
        phases.iter_mut().for_each(|(_, time)| *time /= self.repeat);
        self.samples.push(Sample { wall, cpu, phases });
    }

    /// Median, least and greatest of the times on the clock, in seconds.
    pub fn wall(&self) -> Spread {
        Spread::of(self.samples.iter().map(|sample| sample.wall.as_secs_f64()))
    }

    /// The same of the processor's time.
    pub fn cpu(&self) -> Option<Spread> {
        self.samples.iter().map(|sample| Some(sample.cpu?.as_secs_f64())).collect::<Option<Vec<f64>>>().map(Spread::of)
    }

    /// The median of each phase, in seconds.
    pub fn phases(&self) -> Vec<(String, f64)> {
        let names = self.samples.first().into_iter().flat_map(|sample| sample.phases.iter().map(|(name, _)| name));
        let time = |name: &String, sample: &Sample| {
            sample.phases.iter().find(|(other, _)| other == name).map(|(_, time)| time.as_secs_f64())
        };
        names
            .map(|name| (name.clone(), Spread::of(self.samples.iter().filter_map(|sample| time(name, sample))).median))
            .collect()
    }
}

/// All of them once, then again, so that what else the machine does meets all alike.
pub fn take_turns(contenders: &mut [Contender<'_>], rounds: usize) {
    contenders.iter_mut().for_each(Contender::warm_up);
    for _ in 0..rounds {
        contenders.iter_mut().for_each(Contender::sample);
    }
}

/// How many times as long one takes as the other, pair by pair: by the clock and by the processor's time.
pub fn ratios(slow: &Contender<'_>, fast: &Contender<'_>) -> (Spread, Option<Spread>) {
    let pairs = || slow.samples.iter().zip(&fast.samples);
    let wall = Spread::of(pairs().map(|(slow, fast)| slow.wall.as_secs_f64() / fast.wall.as_secs_f64()));
    let cpu = pairs().map(|(slow, fast)| Some(slow.cpu?.as_secs_f64() / fast.cpu?.as_secs_f64()));
    (wall, cpu.collect::<Option<Vec<f64>>>().map(Spread::of))
}

/// Median, least and greatest of some numbers.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub greatest: f64,
}

impl Spread {
    fn of(numbers: impl IntoIterator<Item = f64>) -> Spread {
        let mut numbers: Vec<f64> = numbers.into_iter().collect();
        numbers.sort_by(f64::total_cmp);
        let at = |place: usize| numbers.get(place).copied().unwrap_or(f64::NAN);
        let last = numbers.len().saturating_sub(1);
        Spread { median: (at(last / 2) + at(last.div_ceil(2))) / 2.0, least: at(0), greatest: at(last) }
    }
}

/// The time that the threads of this process have been on a processor.
fn cpu_time() -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for task in fs::read_dir("/proc/self/task").ok()?.flatten() {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        sum += Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?);
    }
    Some(sum)
}

/// A line of `/proc/self/status`, in bytes.
pub fn status(key: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
