//! Log files: logged null-move searches in Parquet, which pandas, DuckDB, Polars and R read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nullarbor_runs::files::{self, FileError};
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::Int32Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use tempfile::NamedTempFile;

use super::columns::{Attempt, COLUMNS, Columns, MISSING, may_miss, names};

/// Rows of a row group.
const GROUP: usize = 1 << 18;

/// Writes a log file, which appears under its name when it is complete.
pub struct LogWriter {
    path: PathBuf,
    writer: SerializedFileWriter<NamedTempFile>,
    waiting: Vec<Vec<i32>>,
    rows: u64,
}

impl LogWriter {
    /// Creates a log file; `metadata` tells how it was made.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, metadata: &[(&str, String)]) -> Result<Self, FileError> {
        // An existing file is replaced, a device is not.
        if path.exists() && !path.is_file() {
            return Err(FileError::at(path)("it exists and is not a file"));
        }
        let file = files::beside(path)?;
        let metadata =
            metadata.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(metadata.collect()))
            .build();
        let writer = schema()
            .and_then(|schema| SerializedFileWriter::new(file, schema, Arc::new(properties)))
            .map_err(FileError::at(path))?;
        let waiting = vec![Vec::new(); COLUMNS];
        Ok(Self { path: path.to_owned(), writer, waiting, rows: 0 })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn add(&mut self, attempts: &[Attempt]) -> Result<(), FileError> {
        for attempt in attempts {
            self.waiting.iter_mut().zip(attempt.values()).for_each(|(column, value)| {
                column.push(value);
            });
            self.rows += 1;
            if self.waiting[0].len() == GROUP {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), FileError> {
        write_group(&mut self.writer, &self.waiting).map_err(FileError::at(&self.path))?;
        self.waiting.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    /// Completes the file, renames it to its path and returns its number of rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<u64, FileError> {
        self.flush()?;
        let path = &self.path;
        let file = self.writer.into_inner().map_err(FileError::at(path))?;
        file.as_file().sync_all().map_err(FileError::at(path))?;
        file.persist(path).map_err(|error| FileError::at(path)(error.error))?;
        Ok(self.rows)
    }
}

fn schema() -> Result<TypePtr, ParquetError> {
    let column = |name: &str| {
        let optional = may_miss(name);
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let column = Type::primitive_type_builder(name, Physical::INT32);
        column.with_repetition(repetition).build().map(Arc::new)
    };
    let fields = names().map(column).collect::<Result<_, _>>()?;
    Type::group_type_builder("attempts").with_fields(fields).build().map(Arc::new)
}

fn write_group(
    writer: &mut SerializedFileWriter<NamedTempFile>,
    columns: &[Vec<i32>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (name, values) in names().zip(columns) {
        let Some(mut column) = group.next_column()? else { break };
        let typed = column.typed::<Int32Type>();
        if may_miss(name) {
            let there: Vec<i16> = values.iter().map(|&value| i16::from(value != MISSING)).collect();
            let known: Vec<i32> =
                values.iter().copied().filter(|&value| value != MISSING).collect();
            typed.write_batch(&known, Some(&there), None)?;
        } else {
            typed.write_batch(values, None, None)?;
        }
        column.close()?;
    }
    group.close().map(|_| ())
}

/// Reads some columns of a log.
///
/// # Errors
/// If it is no log, or has no such column, or no row.
pub fn read(path: &Path, wanted: &[String]) -> Result<Columns, FileError> {
    let file = nullarbor_runs::files::open(path)?;
    let failed = |error: ParquetError| FileError::at(path)(error);
    let reader = SerializedFileReader::new(file).map_err(failed)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let place = |name: &String| {
        let found = schema
            .columns()
            .iter()
            .position(|column| column.name() == name && column.physical_type() == Physical::INT32);
        let problem = || format!("it has no integer column {name}; is it a log of null moves?");
        found.ok_or_else(|| FileError::at(path)(problem()))
    };
    let places = wanted.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let mut columns = vec![Vec::new(); wanted.len()];
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).map_err(failed)?;
        let rows = group.metadata().num_rows() as usize;
        for (column, &place) in columns.iter_mut().zip(&places) {
            let part = group.get_column_reader(place).map_err(failed)?;
            read_column(part, rows, column).map_err(failed)?;
        }
    }
    let columns = Columns::new(wanted.to_vec(), columns);
    if columns.is_empty() {
        return Err(FileError::at(path)("it holds no null moves"));
    }
    Ok(columns)
}

fn read_column(part: ColumnReader, rows: usize, column: &mut Vec<i32>) -> Result<(), ParquetError> {
    let mut reader = get_typed_column_reader::<Int32Type>(part);
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let mut left = rows;
    while left > 0 {
        let (read, ..) = reader.read_records(left, Some(&mut levels), None, &mut values)?;
        if read == 0 {
            return Err(ParquetError::EOF("a column ends before its rows do".to_owned()));
        }
        left -= read;
    }
    if levels.is_empty() {
        column.append(&mut values);
        return Ok(());
    }
    let mut known = values.into_iter();
    let full = levels
        .iter()
        .map(|&level| if level == 0 { MISSING } else { known.next().unwrap_or(MISSING) });
    column.extend(full);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::search::Probe;
    use nullarbor::search::null_move::Feature;
    use nullarbor::types::Score;

    fn attempt(number: i32) -> Attempt {
        let probed = number % 3 == 0;
        Attempt {
            features: std::array::from_fn(|index| number * 100 - index as i32),
            game: number as u32,
            score: Score(-number),
            cut: number % 2 == 0,
            null_nodes: 7,
            probe: probed.then_some(Probe { score: Score(5), nodes: 50 }),
            ground_truth: (number == 4).then_some(Score(-99)),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        let all: Vec<Attempt> = (0..1000).map(attempt).collect();
        let mut writer =
            LogWriter::create(&path, &[("made by", "a test".to_owned())]).expect("room");
        writer.add(&all[..600]).expect("room");
        writer.add(&all[600..]).expect("room");
        assert!(!path.exists(), "not complete yet");
        assert_eq!(writer.finish().expect("room"), 1000);
        let wanted: Vec<String> = names().map(str::to_owned).collect();
        let read = read(&path, &wanted).expect("what was written");
        for (index, name) in names().enumerate() {
            let column: Vec<i32> =
                all.iter().filter_map(|attempt| attempt.values().nth(index)).collect();
            assert_eq!(read.column(name), column, "{name}");
        }
        let outcomes = read.outcomes();
        assert_eq!((outcomes.full_nodes(3), outcomes.full_nodes(4)), (Some(50), None));
        assert_eq!((outcomes.reaches_beta(4), outcomes.reaches_beta(3)), (Some(false), None));
        assert!(outcomes.is_cut(2) && !outcomes.is_cut(3) && outcomes.null_nodes(0) == 7);
        assert_eq!(Feature::ALL[4].0, "beta");
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        std::fs::write(&path, "no log").expect("room");
        let wanted = ["beta".to_owned()];
        assert!(read(&path, &wanted).is_err());
        assert!(read(&folder.path().join("none"), &wanted).is_err());
        assert!(LogWriter::create(folder.path(), &[]).is_err(), "a folder is no place for a log");
        LogWriter::create(&path, &[]).expect("room").finish().expect("room");
        let empty = read(&path, &wanted).expect_err("no rows").to_string();
        assert!(empty.contains("no null moves"), "{empty}");
        let error = read(&path, &["dog".to_owned()]).expect_err("no such column").to_string();
        assert!(error.contains("dog") && error.contains("a.parquet"), "{error}");
    }
}
