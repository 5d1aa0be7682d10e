extension Configuration {
  /// A source location: a line of one of the configuration files.
  package struct Origin: Equatable, Sendable {
    /// The index of the file in `Configuration.files`.
    package let file: UInt16
    /// The line, counted from 1; 0 if there is no location.
    package let line: UInt16

    init(file: UInt16, line: Int) {
      self.file = file
      // A file has at most 65,536 bytes and a setting takes several, so the line number fits.
      self.line = UInt16(truncatingIfNeeded: line)
    }

    /// The location of values that no file sets.
    static var none: Origin { Origin(file: 0, line: 0) }

    /// Whether there is a line.
    var isKnown: Bool { line != 0 }

    /// Returns whether the location is in `file`.
    func isIn(_ file: UInt16) -> Bool { isKnown && self.file == file }

    /// Returns whether the line was read after `other`. A value that no file sets counts as read
    /// before all lines.
    func isLater(than other: Origin) -> Bool {
      rank > other.rank
    }

    private var rank: UInt32 { isKnown ? UInt32(file) << 16 | UInt32(line) : 0 }
  }
}
