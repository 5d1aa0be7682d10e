/// The formats of a realm that a program can write.
///
/// The state of a realm names its format. All verifiers write rows in that format, so that programs of two
/// successive formats can use one database. When all verifiers are upgraded, an administrator raises the
/// format (`mfa-verifier finalize`), and programs that do not know the new one refuse every request.
///
/// Rows are not written again when the format rises. Every program therefore reads the rows of all earlier
/// formats.
///
/// | format | change |
/// |---|---|
/// | 1 | attempt states have their full length, 640 bytes |
/// | 2 | attempt states name their format, and have no padding: each commit writes about 400 bytes less; they have the last answers and the sources of the last attempts |
///
/// MUST 1: a row is written in the format of the realm, never in a newer one.
/// (`RealmFormatTests.programsOfTwoFormats`)
/// MUST 2: a program refuses a realm whose format it cannot write. (`RealmFormatTests.olderProgram`,
/// `.realmTwoFormatsBehind`)
/// MUST 3: rows of every earlier format are read. (`RecordedRowsTests`)
public struct RealmFormats: Equatable, Sendable {
  /// The newest format that the program can write.
  public let newest: UInt16

  /// Creates the formats of a program whose newest one is `newest`. It can write the one before, too.
  public init(newest: UInt16) { self.newest = newest }

  /// The first format.
  public static var first: UInt16 { 1 }

  /// The formats of this program.
  public static var supported: RealmFormats { RealmFormats(newest: 2) }

  /// The oldest format of a realm that the program can use.
  public var oldest: UInt16 { newest > Self.first ? newest &- 1 : Self.first }

  /// Returns whether the program can use a realm of this format.
  public func contains(_ format: UInt16) -> Bool { (oldest...max(oldest, newest)).contains(format) }
}
