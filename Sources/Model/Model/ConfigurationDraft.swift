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
  /// The tenants and daemons whose sections have been read completely.
  var named: [SectionDraft] = []

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
    for kind in [Configuration.Section.tenant, .daemon] {
      let word = bytes(of: kind.word) + [UInt8(ascii: " ")]
      guard header.part(from: 0, count: word.count).copied() == word else { continue }
      return try begin(kind, header.extracting(word.count..<header.count))
    }
    throw error(.unknownSection(Excerpt(header)))
  }

  private mutating func begin(
    _ kind: Configuration.Section, _ text: Span<UInt8>
  ) throws(ConfigurationError) {
    guard Tenant.isName(text) else { throw error(.invalidName(Excerpt(text), of: kind)) }
    let name = text.copied()
    if let index = index(of: kind, name) {
      let section = named[index]
      guard !section.header.isIn(file) else {
        throw error(
          .repeatedName(Excerpt(text), of: kind, firstLine: Int(section.header.line)))
      }
      return begin(section)
    }
    guard named.count(where: { $0.kind == kind }) < Tenant.maximumCount else {
      throw error(.tooMany(kind))
    }
    begin(SectionDraft(kind, name: name))
  }

  private mutating func begin(_ section: SectionDraft) {
    var section = section
    section.header = Configuration.Origin(file: file, line: line)
    self.section = section
  }

  private mutating func endSection() {
    guard let section else { return }
    self.section = nil
    guard section.kind != .project else { return project = section }
    guard let index = index(of: section.kind, section.name) else { return named.append(section) }
    named[index] = section
  }

  /// Returns the index in `named` of a section that has been read, or nil.
  private func index(of kind: Configuration.Section, _ name: [UInt8]) -> Int? {
    named.firstIndex { $0.kind == kind && $0.name == name }
  }

  private mutating func readSetting(_ line: Span<UInt8>) throws(ConfigurationError) {
    guard let equalsSign = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw error(.notASetting(Excerpt(line)))
    }
    let name = line.extracting(0..<equalsSign).trimmed()
    let value = line.extracting((equalsSign + 1)..<line.count).trimmed()
    guard section != nil else { throw error(.outsideSection(Excerpt(name))) }
    let origin = Configuration.Origin(file: file, line: self.line)
    do throws(ConfigurationError) {
      try section?.set(name, to: value, at: origin)
    } catch {
      throw self.error(error.reason)
    }
  }

  private func error(_ reason: ConfigurationError.Reason) -> ConfigurationError {
    error(at: Configuration.Origin(file: file, line: line), reason)
  }

  private func error(
    at origin: Configuration.Origin, _ reason: ConfigurationError.Reason
  ) -> ConfigurationError {
    let file = Int(origin.file)
    return ConfigurationError(
      in: file < files.count ? files[file] : [], line: Int(origin.line), reason)
  }
}

extension ConfigurationDraft {
  /// Returns the configuration that results from the files. Throws the first contradiction found.
  package func finish() throws(ConfigurationError) -> Configuration {
    var values = KeyValues.defaults
    values.apply(project.values, .yes)
    try check(values, of: project)
    var tenants: [Tenant] = []
    var daemons: [Daemon] = []
    for draft in named {
      guard draft.kind == .tenant else {
        daemons.append(try daemon(draft))
        continue
      }
      guard !Selectors(draft.values).isEmpty else {
        throw error(at: draft.header, .noSelector(Excerpt(draft.name.span)))
      }
      var values = values
      values.apply(draft.values, .yes)
      try check(values, of: draft)
      tenants.append(
        Tenant(name: draft.name, values: draft.values, origins: draft.origins))
    }
    return Configuration(
      project: Settings(values), tenants: tenants, daemons: daemons, files: files,
      origins: project.origins, fingerprint: fingerprint)
  }

  private func daemon(_ draft: SectionDraft) throws(ConfigurationError) -> Daemon {
    let daemon = Daemon(name: draft.name, values: draft.values, header: draft.header)
    guard daemon.isComplete else {
      throw error(at: draft.header, .incompleteDaemon(Excerpt(draft.name.span)))
    }
    return daemon
  }

  /// Whether a section limits the number of sign-ins without a factor.
  private var limitsSignIns: Bool {
    ([project] + named).contains { ($0.values.number(.offerSignIns) ?? 0) > 0 }
  }

  /// Throws if the values in force with `section` contradict each other.
  private func check(
    _ values: KeyValues, of section: SectionDraft
  ) throws(ConfigurationError) {
    let enrollment = section.origin(of: .enrollment)
    let signIns = section.origin(of: .offerSignIns)
    guard !values.offersWithoutEnd else {
      throw error(at: signIns.isLater(than: enrollment) ? signIns : enrollment, .offerNeverEnds)
    }
    // Combined with another tenant that offers enrolment, a tenant that removes the limit on
    // sign-ins could create an offer that never ends, depending on the result of a lookup.
    guard
      section.kind == .project || section.values.number(.offerSignIns) != 0
        || values.number(.offerUntil) != 0 || !limitsSignIns
    else { throw error(at: signIns, .offerNeverEnds) }
    try check(.throttleFirstWait, isAtMost: .throttleLongestWait, values, section)
    try check(.throttleAfter, isAtMost: .disableAfter, values, section)
  }

  /// Throws if the value of `lower` exceeds that of `upper`, its limit. The error names the later
  /// of the two lines. If a tenant sets one of the values, that line is in the tenant.
  private func check(
    _ lower: Configuration.Key, isAtMost upper: Configuration.Key, _ values: KeyValues,
    _ section: SectionDraft
  ) throws(ConfigurationError) {
    guard let lowerValue = values.number(lower), let limit = values.number(upper),
      lowerValue > limit
    else { return }
    let lowerOrigin = section.origin(of: lower)
    let upperOrigin = section.origin(of: upper)
    let type = upper.declaration.type
    if lowerOrigin.isLater(than: upperOrigin) {
      let text = type.printed(limit) ?? []
      throw error(at: lowerOrigin, .aboveLimit(lower, limit: upper, Excerpt(text.span)))
    }
    let text = type.printed(lowerValue) ?? []
    throw error(at: upperOrigin, .belowLimit(upper, limit: lower, Excerpt(text.span)))
  }
}

extension ConfigurationDraft {
  /// Returns the sections and settings of the files in canonical form, without defaults.
  package func printed() -> [UInt8] {
    var text: [UInt8] = []
    for section in [project] + named where section.header.isKnown {
      if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
      text += section.kind.printed(section.name, section.values)
    }
    return text
  }

  /// Removes what the files set in a tenant, or in `[project]` if `tenant` is nil, except the values of
  /// `keys`.
  package mutating func removeSection(tenant: [UInt8]?, except keys: [Configuration.Key]) {
    guard let tenant else {
      project = project.keeping(keys)
      return
    }
    guard let index = index(of: .tenant, tenant) else { return }
    named[index] = named[index].keeping(keys)
  }
}

/// A section while its lines are being read.
struct SectionDraft {
  /// The type of section.
  let kind: Configuration.Section
  /// The name of the tenant or daemon; empty for `[project]`.
  let name: [UInt8]
  /// The header line in the last file that has the section.
  var header = Configuration.Origin.none
  /// The line that set each key, in the order of the keys.
  private(set) var origins = [Configuration.Origin](
    repeating: .none, count: Configuration.Key.allCases.count)

  /// The key after the one that was set last, where the search for a name begins: most files set
  /// the keys in their order.
  private var nextKey: Configuration.Key
  /// The values that the files set.
  private(set) var values = KeyValues()

  init(_ kind: Configuration.Section, name: [UInt8] = []) {
    self.kind = kind
    self.name = name
    nextKey = kind == .project ? .state : .users
  }

  /// Returns the line that set `key`.
  func origin(of key: Configuration.Key) -> Configuration.Origin {
    origins[Int(key.rawValue)]
  }

  /// Returns a section in which only these keys have values.
  func keeping(_ keys: [Configuration.Key]) -> SectionDraft {
    var section = SectionDraft(kind, name: name)
    for key in keys { section.values[key] = values[key] }
    return section
  }

  /// Sets a key to the value in the line at `origin`, overriding earlier files. Throws the reason
  /// if the line is invalid.
  mutating func set(
    _ name: Span<UInt8>, to value: Span<UInt8>, at origin: Configuration.Origin
  ) throws(ConfigurationError) {
    guard let key = Configuration.Key(named: name, from: nextKey) else {
      throw ConfigurationError(.unknownKey(Excerpt(name), in: kind))
    }
    nextKey = key.next
    let declaration = key.declaration
    guard declaration.belongs(to: kind) else {
      throw ConfigurationError(.unknownKey(Excerpt(name), in: kind))
    }
    let earlier = origins[Int(key.rawValue)]
    guard !earlier.isIn(origin.file) else {
      throw ConfigurationError(.repeatedKey(key, firstLine: Int(earlier.line)))
    }
    origins[Int(key.rawValue)] = origin
    values[key] = try declaration.type.parse(value, of: key)
  }
}

extension Configuration {
  /// The types of sections.
  package enum Section: Equatable, Sendable {
    /// `[project]`
    case project
    /// `[tenant NAME]`
    case tenant
    /// `[daemon NAME]`
    case daemon

    /// The word with which the header begins.
    var word: String {
      switch self {
      case .project: "project"
      case .tenant: "tenant"
      case .daemon: "daemon"
      }
    }

    /// Returns the text of a section with these values, in canonical form. `[project]` has no name.
    func printed(_ name: [UInt8], _ values: KeyValues) -> [UInt8] {
      var text = joined(["[", word, self == .project ? "" : " "]) + name + joined(["]\n"])
      for key in Configuration.Key.allCases {
        guard let value = values.printed(key) else { continue }
        text += joined([key.name, " = "]) + value + [UInt8(ascii: "\n")]
      }
      return text
    }

    /// The section header in the file.
    var header: String { self == .project ? "[project]" : joined("[", word, " NAME]") }
  }
}
