import MFABase

/// The file with `ImportedUsers`.
///
/// MUST 1: a reader finds the former list or the new one, also after a crash. (`RealmImportTests.interrupted`)
/// MUST 2: a file that another user than root could have written is refused. (`ImportedUsersTests.distrusted`)
package struct ImportedUsersFile {
  private let path: String

  /// Uses the file of this host, or another one for a test.
  package init(_ path: String = "\(InstalledPath.importedUsers)") { self.path = path }

  /// The largest file that is read, in bytes.
  private static var longest: Int64 { 1 << 26 }

  /// Reads the list, which is empty if the file does not exist.
  func read(realm: String) throws(AdminError) -> ImportedUsers {
    guard Directory.mayExist(Array(path.utf8)) else { return ImportedUsers(realm: realm) }
    let place = try BackupPlace(path)
    let file = try place.open()
    let text = try place.onFile { () throws(SystemError) in
      let size = try file.status().size
      return try file.read(count: Int(clamping: min(size, Self.longest)))
    }
    guard let list = ImportedUsers(text) else { throw .realm(.importListUnusable(path)) }
    guard list.realm == realm else { throw .realm(.importListOfOtherRealm(path)) }
    return list
  }

  /// Replaces the list, which is on the disk when the function returns. An empty list is written, too.
  func write(_ list: ImportedUsers) throws(AdminError) {
    let place = try BackupPlace(path)
    let file = try place.createDraft()
    try place.onFile { () throws(SystemError) in
      try file.write(Array(list.text.utf8))
      try file.sync()
    }
    try place.publishDraft()
  }
}
