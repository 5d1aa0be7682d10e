import MFAPAMStack
import MFABase

/// The service files of a host that matter for one service, as its relay reported them.
///
/// MUST 1: a file that was not reported is refused, and does not count as absent.
/// (`HostFactsTests.unreportedFile`)
package struct ReportedStacks: StackSource, Equatable, Sendable {
  /// A name that was looked up.
  package struct Lookup: Equatable, Sendable {
    /// The name of the service, or of an included file.
    package let name: [UInt8]
    /// The file, or nil if none with this name exists.
    package let file: StackFile?

    /// Creates the result of a lookup.
    package init(_ name: [UInt8], _ file: StackFile?) {
      self.name = name
      self.file = file
    }

    /// Returns whether name, path and contents are equal.
    package static func == (first: Lookup, second: Lookup) -> Bool {
      first.name == second.name && first.file?.path == second.file?.path
        && first.file?.contents == second.file?.contents
    }
  }

  /// The results, in the order of the names.
  package let lookups: [Lookup]
  /// Whether each file could be read and is reported.
  package let areCertain: Bool

  /// The largest number of lookups that are reported.
  package static let mostLookups = 100
  /// The largest number of bytes in all names, paths and files together.
  package static let longest = 45_000
  /// The longest path in bytes.
  package static let longestPath = 1024

  /// Creates the source.
  package init(_ lookups: [Lookup], areCertain: Bool) {
    self.lookups = lookups.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    self.areCertain = areCertain
  }

  /// Files of which nothing is known.
  package static var unknown: ReportedStacks { ReportedStacks([], areCertain: false) }

  /// Returns the file that the host has by this name.
  package func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    guard let lookup = lookups.first(where: { $0.name == name }) else {
      throw .system(file: name, .forbidden(.open))
    }
    return lookup.file
  }
}
