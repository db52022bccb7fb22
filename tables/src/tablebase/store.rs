//! Which tables are there, and which of them are open.

use crate::cache::BlockCache;
use crate::class::{Catalog, Class, Member};
use crate::error::TablebaseError;
use crate::format::{Access, ErrorKind, TableFile};
use crate::material::Material;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Table;
use crate::value::{Metric, TableValue, Value, Wdl};
use arc_swap::ArcSwap;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes of decoded blocks are kept by default.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// A folder of tables of one rule set. All methods take `&self` and can be called from many threads.
#[derive(Debug)]
pub struct Tablebase {
    folder: PathBuf,
    catalog: Arc<Catalog>,
    cache: Arc<BlockCache>,
    access: Access,
    /// By metric: the tables that are open.
    open: [OpenTables; Metric::ALL.len()],
    /// The tables that [`Tablebase::probe_wdl`] asks, of whichever metric.
    for_wdl: OpenTables,
}

/// How tables are opened; made by [`Tablebase::options`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use dsq_tables::format::Access;
/// use dsq_tables::rules::Rules;
/// use dsq_tables::tablebase::Tablebase;
///
/// // For files that other programs may cut off at any time: blocks are read and not mapped, and 1 GiB of them is kept.
/// let tables = Tablebase::options().access(Access::Read).cache_bytes(1 << 30).open("fixtures", Rules::load("classic")?)?;
/// assert_eq!(tables.files().len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TablebaseOptions {
    cache_bytes: u64,
    access: Access,
}

impl Default for TablebaseOptions {
    fn default() -> TablebaseOptions {
        TablebaseOptions { cache_bytes: DEFAULT_CACHE_BYTES, access: Access::default() }
    }
}

impl TablebaseOptions {
    /// About how many bytes of decoded blocks are kept at most; with 0 every look-up decodes a block.
    #[must_use]
    pub fn cache_bytes(mut self, cache_bytes: u64) -> TablebaseOptions {
        self.cache_bytes = cache_bytes;
        self
    }

    /// How the files are read.
    #[must_use]
    pub fn access(mut self, access: Access) -> TablebaseOptions {
        self.access = access;
        self
    }

    /// The tables of a rule set in a folder.
    ///
    /// # Errors
    /// [`TablebaseError::NoTables`] if there is not one, [`TablebaseError::Folder`] if the folder cannot be read.
    pub fn open(self, folder: impl AsRef<Path>, rules: Arc<Rules>) -> Result<Tablebase, TablebaseError> {
        let tablebase = self.at(folder, Arc::new(Catalog::new(rules)));
        if let Err(cause) = std::fs::read_dir(tablebase.rules_folder())
            && cause.kind() != std::io::ErrorKind::NotFound
        {
            return Err(TablebaseError::Folder { folder: tablebase.rules_folder(), cause: Arc::new(cause) });
        }
        if Metric::ALL.into_iter().all(|metric| tablebase.files_of(metric).is_empty()) {
            let rules = tablebase.rules().name().to_owned();
            return Err(TablebaseError::NoTables { folder: tablebase.folder, rules });
        }
        Ok(tablebase)
    }

    /// The tables of a rule set in a folder, whether there are any yet or not.
    #[must_use]
    pub fn at(self, folder: impl AsRef<Path>, catalog: Arc<Catalog>) -> Tablebase {
        Tablebase {
            folder: folder.as_ref().to_owned(),
            catalog,
            cache: Arc::new(BlockCache::new(self.cache_bytes)),
            access: self.access,
            open: Default::default(),
            for_wdl: OpenTables::default(),
        }
    }
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
    /// The tables of a rule set in a folder, mapped into memory, with [`DEFAULT_CACHE_BYTES`] for decoded blocks.
    ///
    /// While it is in use, nobody may shorten the files in the folder or write to them; to replace or remove one is fine. See
    /// [`TableFile::open`](crate::format::TableFile::open), and [`Tablebase::options`] for a way without that duty.
    ///
    /// # Errors
    /// [`TablebaseError::NoTables`] if there is not one, [`TablebaseError::Folder`] if the folder cannot be read.
    pub fn open(folder: impl AsRef<Path>, rules: Arc<Rules>) -> Result<Tablebase, TablebaseError> {
        Tablebase::options().open(folder, rules)
    }

    /// The tables of a rule set in a folder, whether there are any yet or not. At most about `cache_bytes` of decoded
    /// blocks are kept. For the duty of the caller see [`Tablebase::open`].
    #[must_use]
    pub fn at(folder: impl AsRef<Path>, catalog: Arc<Catalog>, cache_bytes: u64) -> Tablebase {
        Tablebase::options().cache_bytes(cache_bytes).at(folder, catalog)
    }

    /// Choices to make before tables are opened.
    #[must_use]
    pub fn options() -> TablebaseOptions {
        TablebaseOptions::default()
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
        self.path_with(class, Value::METRIC)
    }

    /// Where the table of a class and metric is or would be.
    #[must_use]
    pub fn path_with(&self, class: &Class, metric: Metric) -> PathBuf {
        self.rules_folder().join(format!("{}{}", class.name(), metric.extension(self.rules())))
    }

    /// The names of the classes for which there is a file with distances, in no order. The files are not opened.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.files_of(Value::METRIC)
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
        self.table_with(class, Value::METRIC)
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
    pub fn use_file(&self, path: impl AsRef<Path>, class: &Arc<Class>, metric: Metric) -> Result<(), TablebaseError> {
        let table = Arc::new(self.open_table(path.as_ref(), class, metric)?);
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

    /// Whether there is a table of a metric.
    pub(super) fn has_tables_of(&self, metric: Metric) -> bool {
        !self.open_tables(metric).load().is_empty() || !self.files_of(metric).is_empty()
    }

    fn open_table(&self, path: &Path, class: &Arc<Class>, metric: Metric) -> Result<Table, TablebaseError> {
        let file = TableFile::open_with(path, self.access).map_err(TablebaseError::File)?;
        Table::new(file, self.rules(), class, metric, &self.cache)
    }

    fn open_tables(&self, metric: Metric) -> &OpenTables {
        &self.open[metric as usize]
    }

    /// The code of a position in the table of its material, which has pieces of both sides, and a metric.
    pub(super) fn code(&self, position: &Position, material: Material, metric: Metric) -> Result<u32, TablebaseError> {
        // Not even the count of an `Arc` is touched where the table is open.
        let open = self.open_tables(metric).load();
        match open.get(&material) {
            Some(entry) => entry.code(position),
            None => self.entry(material, metric)?.code(position),
        }
    }

    /// The code of a position in the table without distances if there is one, else in the one with distances to win. Which of
    /// the two is there is looked up once for each material.
    pub(super) fn code_for_wdl(&self, position: &Position, material: Material) -> Result<u32, TablebaseError> {
        let open = self.for_wdl.load();
        match open.get(&material) {
            Some(entry) => entry.code(position),
            None => self.entry_for_wdl(material)?.code(position),
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
            None => match self.open_table(&path, &class, metric) {
                Err(TablebaseError::File(error)) if error.kind() == ErrorKind::NotFound => {
                    return Err(TablebaseError::Missing {
                        material: name(),
                        class: class.name().to_owned(),
                        metric,
                        path,
                    });
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
        let entry = match self.entry(material, Wdl::METRIC) {
            // What is missing is the table with the distances, as everywhere.
            Err(TablebaseError::Missing { .. }) => self.entry(material, Value::METRIC)?,
            entry => entry?,
        };
        self.for_wdl.rcu(|open| {
            let mut open = HashMap::clone(open);
            open.insert(material, entry.clone());
            open
        });
        Ok(entry)
    }
}
