import Secrets

/// Why a configuration was refused, and where.
public struct ConfigurationError: Error, Equatable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The file has more than `Configuration.maximumLength` bytes.
    case fileTooLong
    /// The line has more than `Configuration.maximumLineLength` bytes.
    case lineTooLong
    /// The line is not UTF-8.
    case notUTF8
    /// The file begins with a byte order mark.
    case byteOrderMark
    /// The line has a control character in it: U+0000 to U+001F but for tabs, or U+007F to U+009F.
    case controlCharacter
    /// The line begins with `[` and does not end with `]`.
    case unfinishedSection
    /// There is no such section.
    case unknownSection(Excerpt)
    /// The section `[project]` was begun in an earlier line.
    case repeatedSection(firstLine: Int)
    /// A tenant cannot have this name.
    case invalidTenantName(Excerpt)
    /// A tenant of this name was begun in an earlier line.
    case repeatedTenant(Excerpt, firstLine: Int)
    /// There are more than `Tenant.maximumCount` tenants.
    case tooManyTenants
    /// The tenant of this name does not say which sign-ins it is for.
    case noSelector(Excerpt)
    /// The line is neither blank nor a comment, a section or a setting.
    case notASetting(Excerpt)
    /// A setting stands before the first section.
    case outsideSection(Excerpt)
    /// The section has no such key.
    case unknownKey(Excerpt, in: Configuration.Section)
    /// The key was set in an earlier line.
    case repeatedKey(Configuration.Key, firstLine: Int)
    /// The value is none that the key takes.
    case invalidValue(Configuration.Key, Excerpt)
    /// A network is written otherwise than it should be, with bits of an address behind its prefix
    /// for one.
    case miswrittenNetwork(Excerpt, meant: Excerpt)
    /// Enrolling is offered, and neither a number of sign-ins nor a day ends the offer; or a tenant
    /// takes the number away where there is no day.
    case offerWithoutEnd
    /// Codes are remembered, and no service is named in which they are.
    case rememberedNowhere
    /// The value is larger than that of another key, which it must not be.
    case aboveLimit(Configuration.Key, limit: Configuration.Key, Excerpt)
    /// The value is smaller than that of another key, which it must not be.
    case belowLimit(Configuration.Key, limit: Configuration.Key, Excerpt)
  }

  /// The place of the file among those that were read, counted from 0.
  public let file: UInt16

  /// The line, counted from 1; 0 when the reason is the file as a whole.
  public let line: Int

  /// What is wrong.
  public let reason: Reason

  /// The error `reason` at `line`.
  public init(file: UInt16 = 0, line: Int, reason: Reason) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  /// One line for the log or the terminal, in printable ASCII and without a line feed: the file,
  /// the line, what is wrong with it, and what would be right. `file` is the name under which the
  /// person knows the file; up to 1024 bytes of it are shown.
  public func message(file: [UInt8]) -> [UInt8] {
    var message = Excerpt(file.span, limit: 1024).text
    if line != 0 { message += joined([":", decimal(Int64(line))]) }
    message += joined([": "])
    message.append(contentsOf: explanation)
    return message
  }

  private var explanation: [UInt8] {
    switch reason {
    case .fileTooLong:
      return joined([
        "is longer than ", decimal(Int64(Configuration.maximumLength)), " bytes; shorten it",
      ])
    case .lineTooLong:
      return joined([
        "the line is longer than ", decimal(Int64(Configuration.maximumLineLength)),
        " bytes; shorten it",
      ])
    case .notUTF8:
      return joined(["the line is not UTF-8; save the file as UTF-8"])
    case .byteOrderMark:
      return joined(["a byte order mark comes first; save the file as UTF-8 without one"])
    case .controlCharacter:
      return joined([
        "the line has a control character in it; use tabs at most, and end lines with a line feed ",
        "alone",
      ])
    case .unfinishedSection:
      return joined(["a section must be [project] or [tenant NAME], with nothing behind it"])
    case .unknownSection(let name):
      return joined(["unknown section "])
        + quoted(name, ["; the sections are [project] and [tenant NAME]"])
    case .repeatedSection(let firstLine):
      return joined([
        "[project] was begun in line ", decimal(Int64(firstLine)),
        "; keep its settings together and remove this line",
      ])
    case .invalidTenantName(let name):
      return joined([
        "a tenant must be named with 1 to 64 of a-z, A-Z, 0-9, \".\", \"_\" and \"-\", not "
      ]) + quoted(name)
    case .repeatedTenant(let name, let firstLine):
      return joined(["tenant "])
        + quoted(
          name,
          [" was begun in line ", decimal(Int64(firstLine)), "; give this one another name"])
    case .tooManyTenants:
      return joined(["this is one tenant more than the 64 that there may be; join some of them"])
    case .noSelector(let name):
      return joined(["tenant "])
        + quoted(
          name, [" is for nobody; say for whom with users, groups, services or networks"])
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
        key.name, ": was set in line ", decimal(Int64(firstLine)), "; keep one of the two lines",
      ])
    case .invalidValue(let key, let value):
      return joined([key.name, ": must be ", key.allowedValues, ", not "]) + quoted(value)
    case .miswrittenNetwork(let text, let meant):
      return joined(["networks: "]) + quoted(text, [" must be written "])
        + quoted(meant, [", if that network is meant"])
    case .offerWithoutEnd:
      return joined(["an offer without an end; set offer_sign_ins to 1 or more, or offer_until"])
    case .rememberedNowhere:
      return joined(["codes are remembered nowhere; set remember_services, to sshd for example"])
    case .aboveLimit(let key, let limit, let value):
      return joined([key.name, ": must not be larger than ", limit.name, ", which is "])
        + quoted(value)
    case .belowLimit(let key, let limit, let value):
      return joined([key.name, ": must not be smaller than ", limit.name, ", which is "])
        + quoted(value)
    }
  }

  /// An excerpt in quotation marks, and what follows it.
  private func quoted(_ excerpt: Excerpt, _ end: [String] = []) -> [UInt8] {
    let quotationMark = UInt8(ascii: "\"")
    return [quotationMark] + excerpt.text + [quotationMark] + joined(end)
  }

  private static func keyNames(of section: Configuration.Section) -> [UInt8] {
    var names: [UInt8] = []
    for key in Configuration.Key.allCases where key.belongs(to: section) {
      if !names.isEmpty { names += joined([", "]) }
      names += bytes(of: key.name)
    }
    return names
  }
}
