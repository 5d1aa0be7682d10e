import Factors

/// What the administrator decided, as /etc/mfa/mfa.conf says it.
///
/// The text has lines of at most 1024 bytes, in UTF-8 and without control characters other than
/// tabs: blank lines, comments (`#` comes first), sections (`[project]`) and settings
/// (`key = value`). Blanks at either end of a line and around `=` are skipped. There is no quoting,
/// no comment behind a value and no continuation.
///
/// MUST 1: parsing ends for every input, in a value or in an error that names the line.
/// MUST 2: nothing is guessed: an unknown, repeated, contradictory or non-canonical part is an
/// error, so that a misspelt setting cannot leave a weaker default in force unnoticed.
/// MUST 3: what `printed()` writes parses back equal.
/// (`ConfigurationTests`)
public struct Configuration: Equatable, Sendable {
  /// The longest text that is read, in bytes.
  public static var maximumLength: Int { 65_536 }

  /// The longest line that is read, in bytes, without the line feed.
  public static var maximumLineLength: Int { 1024 }

  /// The configuration of an empty file.
  public static var defaults: Configuration { Configuration(project: .defaults) }

  /// The section `[project]`: what holds for everyone on this host.
  public let project: Project

  /// The configuration that `text` describes. Throws the first error in it.
  public static func parse(_ text: Span<UInt8>) throws(ConfigurationError) -> Configuration {
    var parser = ConfigurationParser()
    try parser.read(text)
    return try parser.finish()
  }

  /// The text of this configuration, with every key in its canonical form. It has no `issuer` line
  /// where the host's name is the issuer.
  public func printed() -> [UInt8] {
    var text = Array("[project]\n".utf8)
    for key in Key.allCases {
      guard let value = project.printed(key) else { continue }
      text.append(contentsOf: key.name.utf8)
      text.append(contentsOf: " = ".utf8)
      text.append(contentsOf: value)
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
