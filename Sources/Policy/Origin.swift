extension Configuration {
  /// A line of one of the files that a configuration was read from.
  public struct Origin: Equatable, Sendable {
    /// The place of the file among `Configuration.files`, counted from 0.
    public let file: UInt16
    /// The line, counted from 1; 0 for no line at all.
    public let line: UInt16

    init(file: UInt16, line: Int) {
      self.file = file
      // A file has fewer bytes than there are numbers, and what has an origin is longer than one.
      self.line = UInt16(truncatingIfNeeded: line)
    }

    /// That of what no file says.
    static var none: Origin { Origin(file: 0, line: 0) }

    /// Whether there is a line.
    var isKnown: Bool { line != 0 }

    /// Whether it is a line of `file`.
    func isIn(_ file: UInt16) -> Bool { isKnown && self.file == file }

    /// Whether it was read after `other`; what no file says was read before all else.
    func isLater(than other: Origin) -> Bool {
      rank > other.rank
    }

    private var rank: UInt32 { isKnown ? UInt32(file) << 16 | UInt32(line) : 0 }
  }
}
