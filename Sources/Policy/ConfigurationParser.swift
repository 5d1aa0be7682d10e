import Factors

/// Reads a configuration line by line.
struct ConfigurationParser {
  /// The line that is being read, counted from 1; 0 before the first.
  private var line = 0
  /// The line that began the section; nil before it.
  private var sectionLine: Int?
  /// The line that set each key, in the order of the keys; 0 for one that was not set.
  private var lines = [Int](repeating: 0, count: Configuration.Key.allCases.count)

  private var state = Configuration.Project.defaults.state
  private var adjacentIntervals = Configuration.Project.defaults.adjacentIntervals
  /// Empty for the host's name. (An optional would let `assign` take a refused name for no name.)
  private var issuer: [UInt8] = []
  private var enrollment = Configuration.Project.defaults.enrollment
  private var throttleAfter = Configuration.Project.defaults.throttle.waitsAfter
  private var firstWait = Configuration.Project.defaults.throttle.firstWait
  private var longestWait = Configuration.Project.defaults.throttle.longestWait
  private var disableAfter = Configuration.Project.defaults.throttle.disablesAfter

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
  }

  /// The configuration that the lines add up to.
  func finish() throws(ConfigurationError) -> Configuration {
    guard firstWait <= longestWait else {
      throw contradiction(
        .throttleFirstWait, ConfigurationValue.printed(seconds: firstWait),
        .throttleLongestWait, ConfigurationValue.printed(seconds: longestWait))
    }
    guard throttleAfter <= disableAfter else {
      throw contradiction(
        .throttleAfter, Array(String(throttleAfter).utf8),
        .disableAfter, Array(String(disableAfter).utf8))
    }
    let throttle = ThrottlePolicy(
      waitsAfter: throttleAfter, firstWait: firstWait, longestWait: longestWait,
      disablesAfter: disableAfter)
    let project = Configuration.Project(
      state: state, adjacentIntervals: adjacentIntervals, issuer: issuer.isEmpty ? nil : issuer,
      enrollment: enrollment, throttle: throttle)
    return Configuration(project: project)
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
    let name = line.extracting(1..<(line.count - 1))
    guard name.equals("project") else { throw error(.unknownSection(Excerpt(name))) }
    if let sectionLine { throw error(.repeatedSection(firstLine: sectionLine)) }
    sectionLine = self.line
  }

  private mutating func readSetting(_ line: Span<UInt8>) throws(ConfigurationError) {
    guard let equalsSign = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw error(.notASetting(Excerpt(line)))
    }
    let name = line.extracting(0..<equalsSign).trimmed()
    let value = line.extracting((equalsSign + 1)..<line.count).trimmed()
    guard sectionLine != nil else { throw error(.outsideSection(Excerpt(name))) }
    guard let key = Configuration.Key(named: name) else { throw error(.unknownKey(Excerpt(name))) }
    let firstLine = lines[Int(key.rawValue)]
    guard firstLine == 0 else { throw error(.repeatedKey(key, firstLine: firstLine)) }
    lines[Int(key.rawValue)] = self.line
    guard set(key, to: value) else { throw error(.invalidValue(key, Excerpt(value))) }
  }

  // MARK: Values

  /// Sets a key; false when it does not take the value.
  private mutating func set(_ key: Configuration.Key, to value: Span<UInt8>) -> Bool {
    switch key {
    case .state:
      assign(&state, from: Configuration.State(named: value))
    case .adjacentIntervals:
      assign(
        &adjacentIntervals,
        from: wholeNumber(value, in: Configuration.Project.adjacentIntervalsRange))
    case .issuer:
      assign(&issuer, from: ConfigurationValue.issuer(value))
    case .enrollment:
      assign(&enrollment, from: Configuration.Enrollment(named: value))
    case .throttleAfter:
      assign(&throttleAfter, from: wholeNumber(value, in: ThrottlePolicy.failureRange))
    case .throttleFirstWait:
      assign(&firstWait, from: ConfigurationValue.seconds(value, in: ThrottlePolicy.waitRange))
    case .throttleLongestWait:
      assign(&longestWait, from: ConfigurationValue.seconds(value, in: ThrottlePolicy.waitRange))
    case .disableAfter:
      assign(&disableAfter, from: wholeNumber(value, in: ThrottlePolicy.failureRange))
    }
  }

  private func assign<Value>(_ target: inout Value, from value: Value?) -> Bool {
    guard let value else { return false }
    target = value
    return true
  }

  private func wholeNumber<Number: FixedWidthInteger>(
    _ text: Span<UInt8>, in range: ClosedRange<Number>
  ) -> Number? {
    let range = Int64(range.lowerBound)...Int64(range.upperBound)
    guard let number = ConfigurationValue.wholeNumber(text, in: range) else { return nil }
    return Number(exactly: number)
  }

  // MARK: Errors

  /// The error for a value that is above another which should be above it; the later line is to
  /// blame.
  private func contradiction(
    _ lower: Configuration.Key, _ lowerValue: [UInt8],
    _ upper: Configuration.Key, _ upperValue: [UInt8]
  ) -> ConfigurationError {
    let lowerLine = lines[Int(lower.rawValue)]
    let upperLine = lines[Int(upper.rawValue)]
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
