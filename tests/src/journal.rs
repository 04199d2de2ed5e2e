//! Journals, whose lines end with a checksum of all lines so far.

/// Returns the JSON of a line without its checksum, which differs where the lines before do.
pub fn unsealed(line: &str) -> String {
    line.rsplit_once(",\"crc\":").map_or_else(|| line.to_owned(), |(json, _)| format!("{json}}}"))
}

/// Returns a journal with these lines of JSON.
pub fn sealed(lines: &[&str]) -> String {
    let mut checksum = crc32fast::Hasher::new();
    let seal = |line: &&str| {
        checksum.update(line.as_bytes());
        let json = line.strip_suffix('}').expect("an object");
        format!("{json},\"crc\":\"{:08x}\"}}\n", checksum.clone().finalize())
    };
    lines.iter().map(seal).collect()
}
