/// The lines that PAM processes for one service and type, in order and with included files in place
/// (pam.conf(5), pam.d(5)).
///
/// MUST 1: reading ends for every input, with a stack or with a refusal that names the location.
/// (`ServiceStackTests.refused`)
/// MUST 2: nothing is guessed: a line that libpam might read differently is refused.
/// (`ServiceStackTests.refused`)
package struct ServiceStack: Equatable, Sendable {
  /// The lines.
  package let entries: [StackEntry]

  /// The maximum depth of included files.
  package static var deepest: Int { 16 }

  /// The maximum number of lines in all files together.
  package static var maximumLineCount: Int { 1000 }

  /// Reads the stack of `service`. If the service has no file, or the file has no line of this
  /// type, the stack of `other` is used.
  ///
  /// With `keepsCarriageReturns`, a carriage return at the end of a line is a part of its last word,
  /// as libpam takes it. Otherwise such a line is refused.
  package init<Source: StackSource>(
    _ facility: StackType, of service: [UInt8], from source: Source,
    keepsCarriageReturns: Bool = false
  ) throws(StackRefusal) {
    guard Self.isServiceName(service) else { throw .notAServiceName }
    let reader = StackReader(
      facility: facility, source: source, keepsCarriageReturns: keepsCarriageReturns)
    let own = try Self.entries(of: service, reader)
    let isOther = Word.equals(service, "other")
    guard own.isEmpty, !isOther else {
      entries = own
      return
    }
    entries = try Self.entries(of: Word.bytes("other"), reader)
  }

  private static func entries<Source: StackSource>(
    of name: [UInt8], _ reader: StackReader<Source>
  ) throws(StackRefusal) -> [StackEntry] {
    guard let file = try reader.source.file(name) else { return [] }
    var reader = reader
    try reader.read(file, name: name, level: 0)
    return reader.entries
  }

  /// Returns whether a name consists of lower-case letters, digits and `-_.+@` and does not begin
  /// with a dot.
  private static func isServiceName(_ name: [UInt8]) -> Bool {
    Word.isFileName(name) && Word.lowercased(name) == name
  }
}
