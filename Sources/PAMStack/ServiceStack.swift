/// The lines that PAM goes through for one service and type, in their order, those of included files
/// in their places (pam.conf(5), pam.d(5)).
///
/// MUST 1: reading ends for every input, in a stack or in a refusal that names the place.
/// (`ServiceStackTests.refused`)
/// MUST 2: nothing is guessed: what libpam may read in another way is refused.
/// (`ServiceStackTests.refused`)
public struct ServiceStack: Equatable, Sendable {
  /// The lines.
  public let entries: [StackEntry]

  /// How deep files may include one another.
  public static var deepest: Int { 16 }

  /// How many lines of all files are read.
  public static var mostLines: Int { 1000 }

  /// Reads the stack of `service`. Where the service has no file, or the file no line of this type,
  /// the lines of `other` count.
  public init<Source: StackSource>(
    _ facility: StackFacility, of service: [UInt8], from source: Source
  ) throws(StackRefusal) {
    guard Self.isServiceName(service) else { throw .notAServiceName }
    let own = try Self.entries(facility, of: service, from: source)
    let isOther = Word.equals(service, "other")
    guard own.isEmpty, !isOther else {
      entries = own
      return
    }
    entries = try Self.entries(facility, of: Word.bytes("other"), from: source)
  }

  private static func entries<Source: StackSource>(
    _ facility: StackFacility, of name: [UInt8], from source: Source
  ) throws(StackRefusal) -> [StackEntry] {
    guard let file = try source.file(name) else { return [] }
    var reader = StackReader(facility: facility, source: source)
    try reader.read(file, name: name, level: 0)
    return reader.entries
  }

  /// Lower-case letters, digits and `-_.+@`, of which a dot does not come first.
  private static func isServiceName(_ name: [UInt8]) -> Bool {
    Word.isFileName(name) && Word.lowercased(name) == name
  }
}
