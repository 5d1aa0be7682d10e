import Secrets

/// A configuration while its files are read, one by one, each over those before it.
///
/// What a later file sets takes the place of what an earlier one set, key by key, in `[project]` and
/// in each tenant. A tenant that several files have stays where the first of them has it. Within one
/// file nothing may be said twice.
///
/// MUST 1: whether the settings contradict one another is judged when all files are read, and the
/// key that was read last is to blame. (`LayerTests`)
public struct ConfigurationDraft {
  /// The names of the files that were read, in order; the last one may not have been read to its
  /// end.
  public private(set) var files: [[UInt8]] = []
  /// The text of the files that were read.
  var edition = Edition()
  /// The place of the file that is being read among `files`.
  private var file: UInt16 = 0
  /// The line that is being read, counted from 1; 0 before the first.
  private var line = 0
  /// The section that is being read; nil before the first.
  private var section: SectionDraft?
  /// The section `[project]`, as far as it was read to its end.
  var project = SectionDraft(.project)
  /// The tenants that were read to their end.
  var tenants: [SectionDraft] = []

  /// The draft of a configuration without files.
  public init() {}

  /// Reads the lines of `text`, of which the last may lack its line feed, over what was read before.
  /// `name` is the name under which people know the file, which was written at `time`, in seconds since
  /// the epoch; 0 where that is not known. Throws the first error in the text; the draft is of no use
  /// then but for the names of its files.
  public mutating func add(
    _ text: Span<UInt8>, from name: [UInt8], writtenAt time: Int64 = 0
  ) throws(ConfigurationError) {
    file = UInt16(truncatingIfNeeded: files.count)
    files.append(name)
    line = 0
    guard text.count <= Configuration.maximumLength else { throw error(.fileTooLong) }
    edition.add(text, from: name, writtenAt: time)
    var start = 0
    while start < text.count {
      var end = text.firstUnprintable(from: start)
      // Most lines have nothing in them that would have to be decoded.
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
    let isPlain = ConfigurationValue.allScalars(of: text) { scalar in
      scalar == "\t" || !ConfigurationValue.isControl(scalar)
    }
    guard let isPlain else { throw error(.notUTF8) }
    guard isPlain else { throw error(.controlCharacter) }
    guard line > 1 || !beginsWithByteOrderMark(text) else { throw error(.byteOrderMark) }
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
    if let reason = section?.set(name, to: value, at: origin) { throw error(reason) }
  }

  private func error(_ reason: ConfigurationError.Reason) -> ConfigurationError {
    ConfigurationError(file: file, line: line, reason: reason)
  }
}
