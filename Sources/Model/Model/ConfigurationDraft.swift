import MFABase

/// A configuration while its files are being read, in order.
///
/// A later file overrides earlier files, key by key, in `[project]` and in each tenant. A tenant
/// that appears in several files keeps its position in the first of them. Within one file, a
/// section or key must not be repeated.
///
/// MUST 1: contradictions between settings are detected after all files have been read, and the
/// error names the key that was read last. (`LayerTests`)
package struct ConfigurationDraft {
  /// The names of the files read so far, in order. The last one may have been read only in part.
  package private(set) var files: [[UInt8]] = []
  /// The fingerprint of the files read so far.
  var fingerprint = ConfigurationFingerprint()
  /// The index in `files` of the file being read.
  private var file: UInt16 = 0
  /// The line being read, counted from 1; 0 before the first line.
  private var line = 0
  /// The section being read; nil before the first section.
  private var section: SectionDraft?
  /// The section `[project]` as read so far, without a part that is still being read.
  var project = SectionDraft(.project)
  /// The tenants whose sections have been read completely.
  var tenants: [SectionDraft] = []

  /// Creates a draft without files.
  package init() {}

  /// Reads the file `name` with the content `text`, whose settings override those read before. The
  /// last line may lack its line feed. `time` is the modification time in seconds since the epoch;
  /// 0 if unknown.
  ///
  /// - Throws: the first error found. The draft must not be used after that, except for the names
  ///   of its files.
  package mutating func add(
    _ text: Span<UInt8>, from name: [UInt8], writtenAt time: Int64 = 0
  ) throws(ConfigurationError) {
    file = UInt16(truncatingIfNeeded: files.count)
    files.append(name)
    line = 0
    guard text.count <= Configuration.maximumLength else { throw error(.fileTooLong) }
    fingerprint.add(text, from: name, writtenAt: time)
    var start = 0
    while start < text.count {
      var end = text.firstUnprintable(from: start)
      // Most lines are printable ASCII and need no decoding.
      let isPrintable = end == text.count || text[end] == UInt8(ascii: "\n")
      while end < text.count, text[end] != UInt8(ascii: "\n") { end &+= 1 }
      line &+= 1
      try readLine(text.extracting(start..<end), isPrintable: isPrintable)
      start = end &+ 1
    }
    endSection()
  }

  // MARK: Lines

  private mutating func readLine(
    _ line: Span<UInt8>, isPrintable: Bool
  ) throws(ConfigurationError) {
    guard line.count <= Configuration.maximumLineLength else { throw error(.lineTooLong) }
    if !isPrintable { try checkCharacters(line) }
    let line = line.trimmed()
    if line.isEmpty || line[0] == UInt8(ascii: "#") { return }
    if line[0] == UInt8(ascii: "[") { return try readSection(line) }
    try readSetting(line)
  }

  private func checkCharacters(_ text: Span<UInt8>) throws(ConfigurationError) {
    let isPlain = Self.allScalars(of: text) { scalar in
      scalar == "\t" || !scalar.isControl
    }
    guard let isPlain else { throw error(.notUTF8) }
    guard isPlain else { throw error(.controlCharacter) }
    guard line > 1 || !beginsWithByteOrderMark(text) else { throw error(.byteOrderMark) }
  }

  /// Returns whether the predicate is true for every scalar of `text`, or nil if `text` is not
  /// UTF-8.
  private static func allScalars(
    of text: Span<UInt8>, satisfy predicate: (Unicode.Scalar) -> Bool
  ) -> Bool? {
    do throws(UTF8.ValidationError) {
      var scalars = try UTF8Span(validating: text).makeUnicodeScalarIterator()
      while let scalar = scalars.next() {
        guard predicate(scalar) else { return false }
      }
      return true
    } catch {
      return nil
    }
  }

  private func beginsWithByteOrderMark(_ text: Span<UInt8>) -> Bool {
    text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
  }

  private mutating func readSection(_ line: Span<UInt8>) throws(ConfigurationError) {
    guard line.count >= 2, line[line.count - 1] == UInt8(ascii: "]") else {
      throw error(.unfinishedSection)
    }
    let header = line.extracting(1..<(line.count - 1))
    endSection()
    if header.equals("project") {
      guard !project.header.isIn(file) else {
        throw error(.repeatedSection(firstLine: Int(project.header.line)))
      }
      return begin(project)
    }
    let word = "tenant ".utf8.count
    guard header.count >= word, header.extracting(0..<word).equals("tenant ") else {
      throw error(.unknownSection(Excerpt(header)))
    }
    try beginTenant(header.extracting(word..<header.count))
  }

  private mutating func beginTenant(_ text: Span<UInt8>) throws(ConfigurationError) {
    guard Tenant.isName(text) else { throw error(.invalidTenantName(Excerpt(text))) }
    let name = text.copied()
    for tenant in tenants where tenant.name == name {
      guard !tenant.header.isIn(file) else {
        throw error(.repeatedTenant(Excerpt(text), firstLine: Int(tenant.header.line)))
      }
      return begin(tenant)
    }
    guard tenants.count < Tenant.maximumCount else { throw error(.tooManyTenants) }
    begin(SectionDraft(.tenant, name: name))
  }

  private mutating func begin(_ section: SectionDraft) {
    var section = section
    section.header = Configuration.Origin(file: file, line: line)
    self.section = section
  }

  private mutating func endSection() {
    guard let section else { return }
    self.section = nil
    switch section.kind {
    case .project: project = section
    case .tenant:
      for index in tenants.indices where tenants[index].name == section.name {
        tenants[index] = section
        return
      }
      tenants.append(section)
    }
  }

  private mutating func readSetting(_ line: Span<UInt8>) throws(ConfigurationError) {
    guard let equalsSign = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw error(.notASetting(Excerpt(line)))
    }
    let name = line.extracting(0..<equalsSign).trimmed()
    let value = line.extracting((equalsSign + 1)..<line.count).trimmed()
    guard section != nil else { throw error(.outsideSection(Excerpt(name))) }
    let origin = Configuration.Origin(file: file, line: self.line)
    do throws(ConfigurationError.Reason) {
      try section?.set(name, to: value, at: origin)
    } catch {
      throw self.error(error)
    }
  }

  private func error(_ reason: ConfigurationError.Reason) -> ConfigurationError {
    ConfigurationError(file: file, line: line, reason: reason)
  }
}
