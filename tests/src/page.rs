//! HTML pages that the tuner writes.

/// Asserts that a page loads nothing from elsewhere, and returns it.
pub fn offline_page(page: &str) -> &str {
    assert!(page.contains("default-src 'none'"), "browsers may load something from elsewhere");
    for foreign in ["http://", "https://", " src="] {
        assert!(!page.contains(foreign), "the page needs {foreign}: {page}");
    }
    page
}
