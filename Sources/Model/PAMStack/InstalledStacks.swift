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
    guard let path = TrustedPath(folder + [UInt8(ascii: "/"), UInt8(ascii: "-")]) else {
      throw .notAServiceName
    }
    do throws(TrustedPath.Refusal) {
      return try names(in: try path.parent())
    } catch {
      switch error {
      case .system(let error):
        guard !error.isNotFound else { return [] }
        throw .system(file: folder, error)
      case .untrusted(let distrust): throw .untrusted(file: folder, distrust)
      }
    }
  }

  private static func names(
    in directory: borrowing Directory
  ) throws(TrustedPath.Refusal) -> [[UInt8]] {
    var names: [[UInt8]] = []
    do throws(SystemError) {
      try directory.forEachEntry { name in
        names.append(name.bytes)
        return true
      }
    } catch {
      throw .system(error)
    }
    return names
  }

  private static func contents(of path: [UInt8]) throws(StackRefusal) -> [UInt8]? {
    guard let trusted = TrustedPath(path) else { throw .notAServiceName }
    do throws(TrustedPath.Refusal) {
      let directory = try trusted.parent()
      return try read(trusted.last, in: directory)
    } catch {
      switch error {
      case .system(let error):
        guard !error.isNotFound else { return nil }
        throw .system(file: path, error)
      case .untrusted(.tooLarge): throw .tooLong(file: path)
      case .untrusted(let distrust): throw .untrusted(file: path, distrust)
      }
    }
  }

  /// The result of reading a file.
  private enum Reading {
    case contents([UInt8])
    case distrusted(TrustFailure)
  }

  private static func read(
    _ name: FileName, in directory: borrowing Directory
  ) throws(TrustedPath.Refusal) -> [UInt8] {
    let reading: Reading
    do throws(SystemError) {
      reading = try judgeAndRead(name, in: directory)
    } catch {
      throw error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error)
    }
    switch reading {
    case .contents(let contents): return contents
    case .distrusted(let distrust): throw .untrusted(distrust)
    }
  }

  private static func judgeAndRead(
    _ name: FileName, in directory: borrowing Directory
  ) throws(SystemError) -> Reading {
    let file = try directory.fileForReading(name)
    let status = try file.status()
    if let distrust = distrust(status) { return .distrusted(distrust) }
    return .contents(try file.read(count: Int(clamping: status.size)))
  }

  private static func distrust(_ status: FileStatus) -> TrustFailure? {
    if status.kind != .regular { return .notARegularFile }
    if status.owner != 0 { return .wrongOwner }
    if status.isWritableByOthers { return .wrongPermissions }
    return status.size > Int64(StackFile.longest) ? .tooLarge : nil
  }
}
