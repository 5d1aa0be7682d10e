import MFABase

/// The service files of this machine: those in /etc/pam.d, then those in /usr/lib/pam.d.
///
/// MUST 1: a file that a user other than root could have written is refused.
/// (`InstalledStackTests.distrusted`)
package struct InstalledStacks: StackSource {
  private let folders: [[UInt8]]

  /// Uses the folders that libpam reads.
  package init() {
    folders = [InstalledPath.services.bytes, InstalledPath.vendorServices.bytes]
  }

  /// Uses other folders, given by absolute paths. The first one has priority.
  package init(folders: [[UInt8]]) { self.folders = folders }

  /// Reads the file in the first folder that contains it.
  package func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    for folder in folders {
      let path = folder + [UInt8(ascii: "/")] + name
      guard let contents = try Self.contents(of: path) else { continue }
      return StackFile(path: path, contents: contents)
    }
    return nil
  }

  /// Returns the names of the services that have a file, sorted and without duplicates. Leaves out
  /// names that PAM does not look up, and copies that package managers and editors leave behind.
  package func services() throws(StackRefusal) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for folder in folders {
      let unfiltered = try Self.names(in: folder)
      names += unfiltered.filter {
        Word.isFileName($0) && Word.lowercased($0) == $0 && !Self.isCopy($0)
      }
    }
    var sorted: [[UInt8]] = []
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where sorted.last != name {
      sorted.append(name)
    }
    return sorted
  }

  private static func isCopy(_ name: [UInt8]) -> Bool {
    let endings: [StaticString] = [
      ".dpkg-old", ".dpkg-new", ".dpkg-dist", ".dpkg-bak", ".pam-old", ".pam-new", ".ucf-old",
      ".ucf-new", ".ucf-dist", ".rpmsave", ".rpmnew", ".rpmorig", ".bak", ".old", ".orig",
      ".mfa-edited",
    ]
    return endings.contains {
      name.count > $0.bytes.count && name.span.ends(with: $0.bytes)
    }
  }

  private static func names(in folder: [UInt8]) throws(StackRefusal) -> [[UInt8]] {
    try reading(folder) { path throws(SystemError) in try path.names() } ?? []
  }

  private static func contents(of file: [UInt8]) throws(StackRefusal) -> [UInt8]? {
    try reading(file) { path throws(SystemError) in
      try path.contents(longest: StackFile.longest).bytes
    }
  }

  /// Calls `body`, which reads what is at a path. Returns nil if nothing is there.
  private static func reading<Value>(
    _ path: [UInt8], _ body: (TrustedPath) throws(SystemError) -> Value
  ) throws(StackRefusal) -> Value? {
    guard let trusted = TrustedPath(path) else { throw .notAServiceName }
    do throws(SystemError) {
      return try body(trusted)
    } catch {
      guard !error.isNotFound else { return nil }
      throw error.distrust == .tooLarge ? .tooLong(file: path) : .system(file: path, error)
    }
  }
}
