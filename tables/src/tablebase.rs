//! A folder of tables: probing.
//!
//! The tables of a rule set lie in `FOLDER/<rule set>/`, one file for each class and metric: `RL-E.dtw.dsq`.

mod limited;

pub use limited::{LimitedMove, LineEnd};

use crate::board::Side;
use crate::cache::BlockCache;
use crate::class::{Catalog, Class, Member};
use crate::format::{ErrorKind, Metric, OpenError};
use crate::material::{MAX_PIECES, Material};
use crate::moves::{LegalMove, Move};
use crate::position::{Finished, Position};

use crate::rules::{NoMove, Rules};
use crate::table::Table;
use crate::value::{Dtc, Value, Wdl};
use arc_swap::ArcSwap;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes of decoded blocks are kept by default.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// Why a position has no answer. Every message is one line and says what and where.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    /// No tables of this rule set in the folder.
    #[error("{}: no tables of rule set {rules} in this folder; `dsq generate` makes them", folder.display())]
    NoTables {
        /// The folder.
        folder: PathBuf,
        /// The rule set.
        rules: String,
    },
    /// The folder is there and cannot be read.
    #[error("{}: cannot read the folder: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The table is not there.
    #[error("not in tables: {material} needs {}", path.display())]
    Missing {
        /// The material that was asked for.
        material: String,
        /// The class with its table.
        class: String,
        /// Where the table would be.
        path: PathBuf,
    },
    /// No table can hold this.
    #[error("not in tables: {material} has {pieces} pieces, a table has at most {MAX_PIECES}")]
    TooManyPieces {
        /// The material.
        material: String,
        /// How many pieces it has.
        pieces: usize,
    },
    /// The file cannot be read, is damaged, or is of another version.
    #[error("{0}")]
    File(OpenError),
    /// The table was made with other rules.
    #[error(
        "{}: made for rule set {found} ({found_fingerprint:016x}), asked for {expected} ({expected_fingerprint:016x}){}",
        path.display(),
        if found == expected { "; the rules have changed: give them another name, or move these tables away" } else { "" }
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The rule set it was made for.
        found: String,
        /// The fingerprint of that.
        found_fingerprint: u64,
        /// The rule set that was asked for.
        expected: String,
        /// The fingerprint of that.
        expected_fingerprint: u64,
    },
    /// The file holds another table than its name says.
    #[error("{}: header: {field} is {found}, expected {expected}", path.display())]
    OtherTable {
        /// The file.
        path: PathBuf,
        /// Which field of the header differs.
        field: &'static str,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: String,
    },
    /// The tables contradict each other: no move leads to the value that a position has.
    #[error("the tables contradict each other at {fen}: value {value}, but no move has it")]
    Contradiction {
        /// The position.
        fen: String,
        /// Its value.
        value: String,
    },
}

impl TablebaseError {
    /// True if the answer is in a table that is not there, or can be in none.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            TablebaseError::NoTables { .. } | TablebaseError::Missing { .. } | TablebaseError::TooManyPieces { .. }
        )
    }

    /// True if a file is there and cannot be used: damaged, of another version, of another rule set.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            TablebaseError::File(error) => {
                !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Io | ErrorKind::Usage)
            }
            TablebaseError::OtherRules { .. }
            | TablebaseError::OtherTable { .. }
            | TablebaseError::Contradiction { .. } => true,
            _ => false,
        }
    }
}

/// The answer to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    /// The game is over.
    Finished(Finished),
    /// The value for the side to move.
    Value(Value),
}

impl Probe {
    /// The value for `turn`, the side to move; a finished game is won or lost in 0 plies.
    #[must_use]
    pub fn value_for(self, turn: Side) -> Value {
        match self {
            Probe::Value(value) => value,
            Probe::Finished(finished) if finished.winner == turn => Value::Win(0),
            Probe::Finished(_) => Value::Loss(0),
        }
    }
}

/// A folder of tables of one rule set. All methods take `&self` and can be called from many threads.
#[derive(Debug)]
pub struct Tablebase {
    folder: PathBuf,
    catalog: Arc<Catalog>,
    cache: Arc<BlockCache>,
    /// By metric: the tables that are open.
    open: [OpenTables; Metric::ALL.len()],
    /// The tables that [`Tablebase::probe_wdl`] asks, of whichever metric.
    for_wdl: OpenTables,
}

/// Open tables by the material that was asked for. Reading takes no lock and writes to nothing that threads share: a look-up
/// is so short that two threads would wait for each other there.
type OpenTables = ArcSwap<HashMap<Material, Arc<Entry>>>;

/// What is known about a material that was asked for.
#[derive(Debug)]
struct Entry {
    member: Member,
    table: Arc<Table>,
}

impl Entry {
    /// The code of a position of this material.
    fn code(&self, position: &Position) -> Result<u32, TablebaseError> {
        let route = self.member.route(position.turn());
        // The material of the route is that of the position.
        let Some(squares) = route.squares(position) else { return Ok(0) };
        self.table.code(route.side(), self.member.class().index().number(&squares))
    }
}

impl Tablebase {
    /// The tables of a rule set in a folder.
    ///
    /// # Errors
    /// [`TablebaseError::NoTables`] if there is not one, [`TablebaseError::Folder`] if the folder cannot be read.
    pub fn open(folder: &Path, rules: Arc<Rules>) -> Result<Tablebase, TablebaseError> {
        let tablebase = Tablebase::at(folder, Arc::new(Catalog::new(rules)), DEFAULT_CACHE_BYTES);
        if let Err(cause) = std::fs::read_dir(tablebase.rules_folder())
            && cause.kind() != std::io::ErrorKind::NotFound
        {
            return Err(TablebaseError::Folder { folder: tablebase.rules_folder(), cause });
        }
        if Metric::ALL.into_iter().all(|metric| tablebase.files_of(metric).is_empty()) {
            let rules = tablebase.rules().name().to_owned();
            return Err(TablebaseError::NoTables { folder: folder.to_owned(), rules });
        }
        Ok(tablebase)
    }

    /// The tables of a rule set in a folder, whether there are any yet or not. At most about `cache_bytes` of decoded
    /// blocks are kept.
    #[must_use]
    pub fn at(folder: &Path, catalog: Arc<Catalog>, cache_bytes: u64) -> Tablebase {
        Tablebase {
            folder: folder.to_owned(),
            catalog,
            cache: Arc::new(BlockCache::new(cache_bytes)),
            open: Default::default(),
            for_wdl: OpenTables::default(),
        }
    }

    /// The folder as it was given.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of this rule set's tables inside it.
    #[must_use]
    pub fn rules_folder(&self) -> PathBuf {
        self.folder.join(self.rules().folder_name())
    }

    /// The classes of the rule set.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The rule set.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        self.catalog.rules()
    }

    /// Where the table with the distances of a class is or would be.
    #[must_use]
    pub fn path_of(&self, class: &Class) -> PathBuf {
        self.path_with(class, Metric::Dtw)
    }

    /// Where the table of a class and metric is or would be.
    #[must_use]
    pub fn path_with(&self, class: &Class, metric: Metric) -> PathBuf {
        self.rules_folder().join(format!("{}{}", class.name(), metric.extension(self.rules())))
    }

    /// The names of the classes for which there is a file with distances, in no order. The files are not opened.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.files_of(Metric::Dtw)
    }

    /// The same for the files of a metric.
    #[must_use]
    pub fn files_of(&self, metric: Metric) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.rules_folder()) else { return Vec::new() };
        let extension = metric.extension(self.rules());
        let name = |name: &OsStr| {
            let class = name.to_str()?.strip_suffix(extension.as_str())?;
            Material::parse(self.rules(), class).ok().map(|_| class.to_owned())
        };
        entries.flatten().filter_map(|entry| name(&entry.file_name())).collect()
    }

    /// The table with the distances of a class.
    ///
    /// # Errors
    /// [`TablebaseError`]: missing, damaged, of another version or rule set.
    pub fn table(&self, class: &Arc<Class>) -> Result<Arc<Table>, TablebaseError> {
        self.table_with(class, Metric::Dtw)
    }

    /// The table of a class and metric.
    ///
    /// # Errors
    /// [`TablebaseError`]: missing, damaged, of another version or rule set.
    pub fn table_with(&self, class: &Arc<Class>, metric: Metric) -> Result<Arc<Table>, TablebaseError> {
        self.entry(class.material(), metric).map(|entry| entry.table.clone())
    }

    /// Takes a file for the table of a class from now on, whatever lies under the name of that table.
    ///
    /// # Errors
    /// [`TablebaseError`]: missing, damaged, of another version or rule set, or another table.
    pub fn use_file(&self, path: &Path, class: &Arc<Class>, metric: Metric) -> Result<(), TablebaseError> {
        let table = Arc::new(Table::open(path, self.rules(), class, metric, &self.cache)?);
        let member = self.member(class.material())?;
        self.close_tables();
        let entry = Arc::new(Entry { member, table });
        self.open_tables(metric).store(Arc::new(HashMap::from([(class.material(), entry)])));
        Ok(())
    }

    /// Forgets which tables are open; the next look-up opens them anew.
    pub fn close_tables(&self) {
        for open in self.open.iter().chain([&self.for_wdl]) {
            open.store(Arc::default());
        }
    }

    fn open_tables(&self, metric: Metric) -> &OpenTables {
        match metric {
            Metric::Dtw => &self.open[0],
            Metric::Wdl => &self.open[1],
            Metric::Dtc => &self.open[2],
        }
    }

    fn member(&self, material: Material) -> Result<Member, TablebaseError> {
        self.catalog.member(material).ok_or_else(|| TablebaseError::TooManyPieces {
            material: material.to_text(self.rules()),
            pieces: material.count(),
        })
    }

    fn entry(&self, material: Material, metric: Metric) -> Result<Arc<Entry>, TablebaseError> {
        let open = self.open_tables(metric);
        if let Some(entry) = open.load().get(&material) {
            return Ok(entry.clone());
        }
        let name = || material.to_text(self.rules());
        let member = self.member(material)?;
        let class = member.class().clone();
        let path = self.path_with(&class, metric);
        let held = open.load().get(&class.material()).cloned();
        let table = match held {
            Some(entry) => entry.table.clone(),
            None => match Table::open(&path, self.rules(), &class, metric, &self.cache) {
                Err(TablebaseError::File(error)) if error.kind() == ErrorKind::NotFound => {
                    return Err(TablebaseError::Missing { material: name(), class: class.name().to_owned(), path });
                }
                table => Arc::new(table?),
            },
        };
        let own = self.catalog.member(class.material());
        open.rcu(|open| {
            let mut open = HashMap::clone(open);
            // All members share the file of their class, whichever was asked for first.
            let table = open.get(&class.material()).map_or(&table, |entry| &entry.table).clone();
            if let Some(own) = &own {
                let entry = || Arc::new(Entry { member: own.clone(), table: table.clone() });
                open.entry(class.material()).or_insert_with(entry);
            }
            let entry = || Arc::new(Entry { member: member.clone(), table: table.clone() });
            open.entry(material).or_insert_with(entry);
            open
        });
        match open.load().get(&material) {
            Some(entry) => Ok(entry.clone()),
            // Closed by another thread in between.
            None => Ok(Arc::new(Entry { member, table })),
        }
    }

    /// The table without distances if there is one, else the one with them.
    fn entry_for_wdl(&self, material: Material) -> Result<Arc<Entry>, TablebaseError> {
        if let Some(entry) = self.for_wdl.load().get(&material) {
            return Ok(entry.clone());
        }
        let entry = match self.entry(material, Metric::Wdl) {
            // What is missing is the table with the distances, as everywhere.
            Err(TablebaseError::Missing { .. }) => self.entry(material, Metric::Dtw)?,
            entry => entry?,
        };
        self.for_wdl.rcu(|open| {
            let mut open = HashMap::clone(open);
            open.insert(material, entry.clone());
            open
        });
        Ok(entry)
    }

    /// The value of a position, or who has won if the game is over. The position must be one that
    /// [`Position::check`] accepts.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables, or a table cannot be used.
    pub fn probe(&self, position: &Position) -> Result<Probe, TablebaseError> {
        if let Some(finished) = position.finished(self.rules()) {
            return Ok(Probe::Finished(finished));
        }
        let material = Material::of(position);
        if !material.has_both_sides() {
            return Ok(Probe::Value(self.alone(position)));
        }
        // Not even the count of an `Arc` is touched where the table is open.
        let open = self.open_tables(Metric::Dtw).load();
        let code = match open.get(&material) {
            Some(entry) => entry.code(position)?,
            None => self.entry(material, Metric::Dtw)?.code(position)?,
        };
        Ok(Probe::Value(Value::from_code(code)))
    }

    /// Who wins a position, for the side to move: from the table without distances if there is one, else from the one with
    /// them. Which of the two is there is looked up once for each material; [`Tablebase::close_tables`] forgets it. A finished
    /// game is won or lost. The position must be one that [`Position::check`] accepts.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables ([`TablebaseError::Missing`] names the table with distances), or a table cannot
    /// be used.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, TablebaseError> {
        if let Some(finished) = position.finished(self.rules()) {
            return Ok(if finished.winner == position.turn() { Wdl::Win } else { Wdl::Loss });
        }
        let material = Material::of(position);
        if !material.has_both_sides() {
            return Ok(self.alone(position).into());
        }
        let open = self.for_wdl.load();
        let code = match open.get(&material) {
            Some(entry) => entry.code(position),
            None => self.entry_for_wdl(material)?.code(position),
        };
        code.map(Wdl::from_code)
    }

    /// The value of a position with no quiet ply behind it, under the limit of the rule set if it has one, from the table of
    /// distances to conversion; see [`quiet`](crate::quiet). A finished game is won or lost in 0 plies. The position must be one
    /// that [`Position::check`] accepts.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables, or a table cannot be used.
    pub fn probe_dtc(&self, position: &Position) -> Result<Dtc, TablebaseError> {
        if let Some(finished) = position.finished(self.rules()) {
            return Ok(if finished.winner == position.turn() { Dtc::Win(0) } else { Dtc::Loss(0) });
        }
        let material = Material::of(position);
        if !material.has_both_sides() {
            return Ok(self.alone(position).into());
        }
        let open = self.open_tables(Metric::Dtc).load();
        let code = match open.get(&material) {
            Some(entry) => entry.code(position)?,
            None => self.entry(material, Metric::Dtc)?.code(position)?,
        };
        Ok(Dtc::from_code(code))
    }

    /// Where the value of a position stands: the class, the side to move in its table and the number there. None if the game
    /// is over or no table can have it. No file is opened.
    #[must_use]
    pub fn locate(&self, position: &Position) -> Option<(Material, Side, u64)> {
        let material = Material::of(position);
        if position.finished(self.rules()).is_some() || !material.has_both_sides() {
            return None;
        }
        let member = self.catalog.member(material)?;
        let route = member.route(position.turn());
        let number = member.class().index().number(&route.squares(position)?);
        Some((member.class().material(), route.side(), number))
    }

    /// The value where one side has no pieces and that alone does not decide: it has no move when its turn comes.
    fn alone(&self, position: &Position) -> Value {
        let stuck = match self.rules().no_move() {
            NoMove::Loss => Value::Loss(0),
            NoMove::Draw => Value::Draw,
        };
        let mut best = None;
        position.for_each_move(self.rules(), |legal| {
            let value = match position.after(&legal).finished(self.rules()) {
                Some(_) => Value::Win(1),
                None => stuck.before_move(),
            };
            best = best.max(Some(value));
        });
        best.unwrap_or(stuck)
    }

    /// Every legal move with its value for the side that makes it, counted from this position; best first, equal ones in
    /// square order.
    ///
    /// # Errors
    /// [`TablebaseError`]: a position after a move is not in the tables, or a table cannot be used.
    pub fn probe_moves(&self, position: &Position) -> Result<Vec<(LegalMove, Value)>, TablebaseError> {
        let mut moves = Vec::new();
        for legal in position.legal_moves(self.rules()) {
            let next = position.after(&legal);
            let value = self.probe(&next)?.value_for(next.turn());
            moves.push((legal, value.before_move()));
        }
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        Ok(moves)
    }

    /// Every legal move with its value for the side that makes it, as [`Tablebase::probe_wdl`] knows it; best first, equal ones
    /// in square order.
    ///
    /// # Errors
    /// [`TablebaseError`]: a position after a move is not in the tables, or a table cannot be used.
    pub fn probe_moves_wdl(&self, position: &Position) -> Result<Vec<(LegalMove, Wdl)>, TablebaseError> {
        let mut moves = Vec::new();
        for legal in position.legal_moves(self.rules()) {
            moves.push((legal, self.probe_wdl(&position.after(&legal))?.before_move()));
        }
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        Ok(moves)
    }

    /// The line of best play: at every ply the first of the best moves. It goes to the end of the game, or, in a draw, to where a
    /// position comes up for the second time. Empty for a finished game.
    ///
    /// # Errors
    /// [`TablebaseError`]: not in the tables, a table cannot be used, or the tables contradict each other.
    pub fn line(&self, position: &Position) -> Result<Vec<Move>, TablebaseError> {
        let mut line = Vec::new();
        let mut position = *position;
        let mut seen = HashSet::new();
        while let Probe::Value(value) = self.probe(&position)? {
            if value == Value::Loss(0) || value == Value::Draw && !seen.insert(position) {
                break;
            }
            let best = self.probe_moves(&position)?.first().copied();
            if value == Value::Draw && best.is_none() {
                break;
            }
            let Some((legal, _)) = best.filter(|&(_, best)| best == value) else {
                let fen = position.to_fen(self.rules());
                return Err(TablebaseError::Contradiction { fen, value: format!("{value:?}") });
            };
            line.push(legal.squares);
            position = position.after(&legal);
        }
        Ok(line)
    }
}
