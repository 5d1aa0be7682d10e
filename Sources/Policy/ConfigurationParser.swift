/// Reads a configuration line by line.
struct ConfigurationParser {
  /// The line that is being read, counted from 1; 0 before the first.
  private var line = 0
  /// The section that is being read; nil before the first.
  private var section: SectionDraft?
  /// The section `[project]`, when it was read to its end.
  private var project: SectionDraft?
  /// The tenants that were read to their end.
  private var tenants: [SectionDraft] = []

  init() {}

  /// Reads the lines of `text`, of which the last may lack its line feed.
  mutating func read(_ text: Span<UInt8>) throws(ConfigurationError) {
    guard text.count <= Configuration.maximumLength else { throw error(.fileTooLong) }
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      line += 1
      try readLine(text.extracting(start..<end))
      start = end + 1
    }
    endSection()
  }

  /// The configuration that the lines add up to.
  func finish() throws(ConfigurationError) -> Configuration {
    var values = SettingValues()
    if let project {
      values.apply(project.overrides, .yes)
      try check(values, of: project)
    }
    var tenants: [Tenant] = []
    for draft in self.tenants {
      guard !draft.selectors.isEmpty else {
        throw ConfigurationError(line: draft.line, reason: .noSelector(Excerpt(draft.name.span)))
      }
      var values = values
      values.apply(draft.overrides, .yes)
      try check(values, of: draft)
      tenants.append(
        Tenant(name: draft.name, selectors: draft.selectors, overrides: draft.overrides))
    }
    return Configuration(project: values.settings, tenants: tenants)
  }

  // MARK: Lines

  private mutating func readLine(_ line: Span<UInt8>) throws(ConfigurationError) {
    try checkCharacters(line)
    let line = line.trimmed()
    if line.isEmpty || line[0] == UInt8(ascii: "#") { return }
    if line[0] == UInt8(ascii: "[") { return try readSection(line) }
    try readSetting(line)
  }

  private func checkCharacters(_ text: Span<UInt8>) throws(ConfigurationError) {
    guard text.count <= Configuration.maximumLineLength else { throw error(.lineTooLong) }
    // Most lines, and nothing in them that would have to be decoded.
    if text.isPrintableASCII { return }
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
      if let project { throw error(.repeatedSection(firstLine: project.line)) }
      section = SectionDraft(.project, line: self.line)
      return
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
      throw error(.repeatedTenant(Excerpt(text), firstLine: tenant.line))
    }
    guard tenants.count < Tenant.maximumCount else { throw error(.tooManyTenants) }
    section = SectionDraft(.tenant, name: name, line: line)
  }

  private mutating func endSection() {
    guard let section else { return }
    switch section.kind {
    case .project: project = section
    case .tenant: tenants.append(section)
    }
    self.section = nil
  }

  private mutating func readSetting(_ line: Span<UInt8>) throws(ConfigurationError) {
    guard let equalsSign = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw error(.notASetting(Excerpt(line)))
    }
    let name = line.extracting(0..<equalsSign).trimmed()
    let value = line.extracting((equalsSign + 1)..<line.count).trimmed()
    guard section != nil else { throw error(.outsideSection(Excerpt(name))) }
    if let reason = section?.set(name, to: value, line: self.line) { throw error(reason) }
  }

  // MARK: Errors

  /// Whether the values that hold with `section` go together.
  private func check(
    _ values: SettingValues, of section: SectionDraft
  ) throws(ConfigurationError) {
    guard !values.offersWithoutEnd else {
      let line = section.line(of: .enrollment)
      throw ConfigurationError(
        line: line == 0 ? section.line(of: .offerSignIns) : line, reason: .offerWithoutEnd)
    }
    // Together with another tenant that offers, a tenant that takes the number away would leave an
    // offer without an end, or not, as a look-up has it.
    guard
      section.kind == .project || section.overrides.offerSignIns != 0 || values.offerUntil != nil
    else {
      throw ConfigurationError(line: section.line(of: .offerSignIns), reason: .offerWithoutEnd)
    }
    guard values.throttleFirstWait <= values.throttleLongestWait else {
      throw contradiction(
        .throttleFirstWait, ConfigurationValue.printed(seconds: values.throttleFirstWait),
        .throttleLongestWait, ConfigurationValue.printed(seconds: values.throttleLongestWait),
        section)
    }
    guard values.throttleAfter <= values.disableAfter else {
      throw contradiction(
        .throttleAfter, Array(String(values.throttleAfter).utf8),
        .disableAfter, Array(String(values.disableAfter).utf8), section)
    }
  }

  /// The error for a value that is above another which should be above it; the later line is to
  /// blame, which is never one of `[project]` where a tenant sets one of the two.
  private func contradiction(
    _ lower: Configuration.Key, _ lowerValue: [UInt8],
    _ upper: Configuration.Key, _ upperValue: [UInt8], _ section: SectionDraft
  ) -> ConfigurationError {
    let lowerLine = section.line(of: lower)
    let upperLine = section.line(of: upper)
    if lowerLine > upperLine {
      return ConfigurationError(
        line: lowerLine, reason: .aboveLimit(lower, limit: upper, Excerpt(upperValue.span)))
    }
    return ConfigurationError(
      line: upperLine, reason: .belowLimit(upper, limit: lower, Excerpt(lowerValue.span)))
  }

  private func error(_ reason: ConfigurationError.Reason) -> ConfigurationError {
    ConfigurationError(line: line, reason: reason)
  }
}
