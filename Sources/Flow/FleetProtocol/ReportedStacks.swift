public import MFAPAMStack
import MFASystem

/// The service files of a host that matter for one service, as its relay reported them.
///
/// MUST 1: a file that was not reported is refused, and does not count as absent.
/// (`HostFactsTests.unreportedFile`)
public struct ReportedStacks: StackSource, Equatable, Sendable {
  /// A name that was looked up.
  public struct Lookup: Equatable, Sendable {
    /// The name of the service, or of an included file.
    public let name: [UInt8]
    /// The file, or nil if none with this name exists.
    public let file: StackFile?

    /// Creates the result of a lookup.
    public init(_ name: [UInt8], _ file: StackFile?) {
      self.name = name
      self.file = file
    }

    /// Returns whether name, path and contents are equal.
    public static func == (first: Lookup, second: Lookup) -> Bool {
      first.name == second.name && first.file?.path == second.file?.path
        && first.file?.contents == second.file?.contents
    }
  }

  /// The results, in the order of the names.
  public let lookups: [Lookup]
  /// Whether each file could be read and is reported.
  public let areCertain: Bool

  /// The largest number of lookups that are reported.
  public static let mostLookups = 100
  /// The largest number of bytes in all names, paths and files together.
  public static let longest = 45_000
  /// The longest path in bytes.
  public static let longestPath = 1024

  /// Creates the source.
  public init(_ lookups: [Lookup], areCertain: Bool) {
    self.lookups = lookups.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    self.areCertain = areCertain
  }

  /// Files of which nothing is known.
  public static var unknown: ReportedStacks { ReportedStacks([], areCertain: false) }

  /// Returns the file that the host has by this name.
  public func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    guard let lookup = lookups.first(where: { $0.name == name }) else {
      throw .system(file: name, .forbidden(.open))
    }
    return lookup.file
  }
}
