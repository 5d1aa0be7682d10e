import MFABase

/// Why there is no valid configuration, and where the cause is.
package struct ConfigurationError: Error, Equatable, Sendable {
  /// What is wrong with a file, or with the folder of drop-ins.
  package enum Reason: Equatable, Sendable {
    /// The path is not absolute.
    case notAPath
    /// The file cannot be read, or is not trusted.
    case system(SystemError)
    /// The folder has more drop-ins than this.
    case tooManyFiles(Int)
    /// The file has more than `Configuration.maximumLength` bytes.
    case fileTooLong
    /// The line has more than `Configuration.maximumLineLength` bytes.
    case lineTooLong
    /// The line is not UTF-8.
    case notUTF8
    /// The file begins with a byte order mark.
    case byteOrderMark
    /// The line contains a control character: U+0000 to U+001F except tabs, or U+007F to U+009F.
    case controlCharacter
    /// The line begins with `[` and does not end with `]`.
    case unfinishedSection
    /// The section type is unknown.
    case unknownSection(Excerpt)
    /// The section `[project]` already begins in an earlier line.
    case repeatedSection(firstLine: Int)
    /// The name of the tenant or daemon is invalid.
    case invalidName(Excerpt, of: Configuration.Section)
    /// A section with this name already begins in an earlier line.
    case repeatedName(Excerpt, of: Configuration.Section, firstLine: Int)
    /// There are more than `Tenant.maximumCount` sections of this type.
    case tooMany(Configuration.Section)
    /// The daemon with this name lacks its system user, its services, or whom it signs in.
    case incompleteDaemon(Excerpt)
    /// The tenant with this name has no selector.
    case noSelector(Excerpt)
    /// The line is not blank, and is not a comment, a section or a setting.
    case notASetting(Excerpt)
    /// A setting precedes the first section.
    case outsideSection(Excerpt)
    /// The key is not allowed in the section.
    case unknownKey(Excerpt, in: Configuration.Section)
    /// The key is already set in an earlier line.
    case repeatedKey(Configuration.Key, firstLine: Int)
    /// The key does not accept the value.
    case invalidValue(Configuration.Key, Excerpt)
    /// A network is not in canonical form, for example because address bits after the prefix are
    /// set.
    case nonCanonicalNetwork(Excerpt, meant: Excerpt)
    /// Enrolment is offered, but neither a number of sign-ins nor a day ends the offer; or a tenant
    /// removes another section's limit on sign-ins although no day ends the offer.
    case offerNeverEnds
    /// The value is greater than that of another key, which limits it.
    case aboveLimit(Configuration.Key, limit: Configuration.Key, Excerpt)
    /// The value is smaller than that of another key, which limits it.
    case belowLimit(Configuration.Key, limit: Configuration.Key, Excerpt)
  }

  /// The file, or the folder of drop-ins; empty while the file is not known.
  package let path: [UInt8]

  /// The line, counted from 1; 0 if the error concerns the file as a whole.
  package let line: Int

  /// What is wrong.
  package let reason: Reason

  /// Creates the error `reason` in `line` of the file at `path`.
  package init(in path: [UInt8] = [], line: Int = 0, _ reason: Reason) {
    self.path = path
    self.line = line
    self.reason = reason
  }

  /// Whether the content of the file is wrong.
  package var isMistake: Bool {
    switch reason {
    case .notAPath, .system, .tooManyFiles: false
    case _: true
    }
  }

  /// One line for the log or the terminal, in printable ASCII and without a line feed: the file, of which
  /// up to 1024 bytes are shown, the line, the problem, and how to correct it.
  package var message: [UInt8] {
    var message = Excerpt(path.span, limit: 1024).text
    if line != 0 { message += joined([":", decimal(Int64(line))]) }
    if isMistake { message.append(UInt8(ascii: ":")) }
    message.append(UInt8(ascii: " "))
    message.append(contentsOf: explanation)
    return message
  }

  private var explanation: [UInt8] {
    switch reason {
    case .notAPath: return joined(["is not an absolute path"])
    case .system(let error):
      let problem = error.distrust == nil ? "cannot be read: " : "is not trusted: "
      return joined([problem]) + bytes(of: error.text)
    case .tooManyFiles(let maximum):
      return joined(["has more than ", decimal(Int64(maximum)), " configuration files"])
    case .fileTooLong:
      return joined([
        "the file is longer than ", decimal(Int64(Configuration.maximumLength)),
        " bytes; shorten it",
      ])
    case .lineTooLong:
      return joined([
        "the line is longer than ", decimal(Int64(Configuration.maximumLineLength)),
        " bytes; shorten it",
      ])
    case .notUTF8:
      return joined(["the line is not UTF-8; save the file as UTF-8"])
    case .byteOrderMark:
      return joined(["the file begins with a byte order mark; save it as UTF-8 without one"])
    case .controlCharacter:
      return joined([
        "the line contains a control character other than a tab; remove it, and end lines with a ",
        "line feed alone",
      ])
    case .unfinishedSection:
      return joined([
        "a section must be [project], [tenant NAME] or [daemon NAME], with nothing after it"
      ])
    case .unknownSection(let name):
      return joined(["unknown section "])
        + quoted(name, ["; the sections are [project], [tenant NAME] and [daemon NAME]"])
    case .repeatedSection(let firstLine):
      return joined([
        "[project] already begins in line ", decimal(Int64(firstLine)),
        "; keep its settings together and remove this line",
      ])
    case .invalidName(let name, let section):
      return joined([
        "a ", section.word, " name must be 1 to 64 of the characters ",
        "a-z, A-Z, 0-9, \".\", \"_\" and \"-\", not ",
      ]) + quoted(name)
    case .repeatedName(let name, let section, let firstLine):
      return joined([section.word, " "])
        + quoted(
          name,
          [
            " already begins in line ", decimal(Int64(firstLine)),
            "; give this one a different name",
          ])
    case .tooMany(let section):
      return joined(["there are more than 64 ", section.word, "s; merge some of them"])
    case .incompleteDaemon(let name):
      return joined(["daemon "])
        + quoted(name, [" is incomplete; set user, services, and users or groups"])
    case .noSelector(let name):
      return joined(["tenant "])
        + quoted(
          name, [" selects no sign-ins; set users, groups, services or networks"])
    case .notASetting(let text):
      return joined(["neither a comment, a section nor a setting: "])
        + quoted(text, ["; write key = value"])
    case .outsideSection(let name):
      return quoted(name, [" is set before any section; put [project] above it"])
    case .unknownKey(let name, let section):
      return joined(["unknown key "])
        + quoted(name, ["; the keys of ", section.header, " are "]) + Self.keyNames(of: section)
    case .repeatedKey(let key, let firstLine):
      return joined([
        key.name, ": already set in line ", decimal(Int64(firstLine)),
        "; keep one of the two lines",
      ])
    case .invalidValue(let key, let value):
      return joined([key.name, ": must be ", key.allowedValues, ", not "]) + quoted(value)
    case .nonCanonicalNetwork(let text, let meant):
      return joined(["networks: "]) + quoted(text, [" must be written "])
        + quoted(meant, [", if that network is meant"])
    case .offerNeverEnds:
      return joined(["the offer never ends; set offer_sign_ins to 1 or more, or offer_until"])
    case .aboveLimit(let key, let limit, let value):
      return joined([key.name, ": must not be larger than ", limit.name, ", which is "])
        + quoted(value)
    case .belowLimit(let key, let limit, let value):
      return joined([key.name, ": must not be smaller than ", limit.name, ", which is "])
        + quoted(value)
    }
  }

  /// Returns an excerpt in quotation marks, followed by `end`.
  private func quoted(_ excerpt: Excerpt, _ end: [String] = []) -> [UInt8] {
    let quotationMark = UInt8(ascii: "\"")
    return [quotationMark] + excerpt.text + [quotationMark] + joined(end)
  }

  /// Returns the names of a section's keys. Those that begin with `phone_` are not listed one by one:
  /// log lines keep only 512 bytes of a message.
  private static func keyNames(of section: Configuration.Section) -> [UInt8] {
    let group = bytes(of: "phone_")
    var names: [UInt8] = []
    for key in Configuration.Key.allCases where key.belongs(to: section) {
      let name = bytes(of: key.name)
      if name.starts(with: group) { continue }
      if !names.isEmpty { names += joined([", "]) }
      names += name
    }
    guard section != .daemon else { return names }
    return names + joined([" and those of mfa.conf(5) that begin with "]) + group
  }
}

/// An excerpt of untrusted text, escaped for a terminal and for one line of a log.
package struct Excerpt: Equatable, Sendable {
  /// The default maximum length in bytes, without the dots that mark a cut excerpt.
  package static var maximumLength: Int { 64 }

  /// Printable ASCII only: backslashes and quotation marks are escaped as `\\` and `\"`, and every
  /// other byte as `\xNN`. A text that is too long is cut, never within an escape, and ends with
  /// `...`.
  package let text: [UInt8]

  /// Escapes `bytes` into at most `limit` bytes.
  package init(_ bytes: Span<UInt8>, limit: Int = maximumLength) {
    var text: [UInt8] = []
    for index in bytes.indices {
      let piece = Self.escaped(bytes[index])
      guard text.count + piece.count <= limit else {
        text += MFABase.bytes(of: "...")
        break
      }
      text.append(contentsOf: piece)
    }
    self.text = text
  }

  private static func escaped(_ byte: UInt8) -> [UInt8] {
    let backslash = UInt8(ascii: "\\")
    switch byte {
    case backslash, UInt8(ascii: "\""): return [backslash, byte]
    case 0x20...0x7E: return [byte]
    default: return [backslash, UInt8(ascii: "x")] + Hexadecimal.digits(of: byte)
    }
  }
}

/// Helpers for parsers.
extension Span<UInt8> {
  /// Returns whether the bytes are those of `text`.
  func equals(_ text: String) -> Bool {
    let other = text.utf8Span.span
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// Returns the index of the first `byte`, or nil.
  func firstIndex(of byte: UInt8) -> Int? {
    for index in indices where self[index] == byte { return index }
    return nil
  }

  /// Returns the text without spaces and tabs at its ends.
  @_lifetime(copy self)
  func trimmed() -> Span<UInt8> {
    var start = 0
    var end = count
    while start < end, Self.isBlank(self[start]) { start += 1 }
    while end > start, Self.isBlank(self[end - 1]) { end -= 1 }
    return extracting(start..<end)
  }

  /// Returns the trimmed text from `start` to the next comma or the end, and moves `start` past it.
  @_lifetime(copy self)
  func listElement(at start: inout Int) -> Span<UInt8> {
    let first = min(start, count)
    var end = first
    while end < count, self[end] != UInt8(ascii: ",") { end &+= 1 }
    start = end &+ 1
    return extracting(first..<end).trimmed()
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
