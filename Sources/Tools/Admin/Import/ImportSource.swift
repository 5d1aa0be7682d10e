import MFABase
import MFAImport

/// A file or folder of another program to import from, and the rules for opening it.
///
/// MUST 1: only a regular file with one hard link is read, and only if it belongs to the user or
/// root and no other user can write to it. (`ImportTests.distrusted`)
/// MUST 2: no symbolic link is followed. (`ImportTests.distrusted`)
package enum ImportSource {
  /// A folder, such as /home, that holds for each user a folder `USER` with a
  /// `.google_authenticator`, or a file `USER`.
  case googleAuthenticator(folder: String)

  /// A users.oath file, and the value of pam_oath's option `window`.
  case usersOATH(file: String, window: UInt8)

  /// One factor of a user, or the reason why it cannot be imported.
  package struct Item {
    /// The user's name, or nil if the file does not contain it.
    package let user: [UInt8]?
    /// The line of the file, or nil if the item is the whole file.
    package let line: Int?
    /// The proposed name of the factor. A number is appended if another factor has this name.
    package let name: String
    /// The factor with its recovery codes, or the reason why it cannot be imported.
    package let content: Result<Content, ImportRefusal>
  }

  /// A factor to be imported.
  package struct Content {
    package let factor: ImportableFactor
    package let recoveryCodes: ImportableRecoveryCodes?
    package let warnings: [ImportWarning]
  }

  /// Reads the factors, in the order of the file names or lines. `owner` returns the UID of a user,
  /// or nil if there is no such account.
  package func items(
    owner: ([UInt8]) throws(AdminError) -> UInt32?
  ) throws(AdminError) -> [Item] {
    switch self {
    case .googleAuthenticator(let folder): try Self.items(in: folder, owner)
    case .usersOATH(let file, let window): try Self.items(of: file, window: window)
    }
  }

  // MARK: google-authenticator

  private static func items(
    in path: String, _ owner: ([UInt8]) throws(AdminError) -> UInt32?
  ) throws(AdminError) -> [Item] {
    let folder = try Self.folder(path)
    var names: [[UInt8]] = []
    try on(
      path,
      try folder.forEachEntry { name in
        names.append(name.bytes)
        return true
      })
    var items: [Item] = []
    for bytes in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let name = FileName(bytes) else { continue }
      let owner = try owner(bytes) ?? 0
      let content: Result<Content, ImportRefusal>
      do throws(ImportRefusal) {
        guard let found = try self.content(of: name, in: folder, owner: owner) else { continue }
        content = .success(found)
      } catch {
        content = .failure(error)
      }
      items.append(Item(user: bytes, line: nil, name: "imported", content: content))
    }
    return items
  }

  /// Opens the folder, and verifies that only root can write to it.
  private static func folder(_ path: String) throws(AdminError) -> Directory {
    let place = try place(path)
    return try on(path, try TrustedPath.directory(place.name, in: place.folder))
  }

  /// Returns the factor in a file, or nil if `name` is a folder without a .google_authenticator.
  private static func content(
    of name: FileName, in folder: borrowing Directory, owner: UInt32
  ) throws(ImportRefusal) -> Content? {
    guard let text = try text(of: name, in: folder, owner: owner) else { return nil }
    let factors = try text.withSpan { text throws(ImportRefusal) in
      try GoogleAuthenticatorFile.parse(text)
    }
    return Content(
      factor: factors.factor, recoveryCodes: factors.recoveryCodes, warnings: factors.warnings)
  }

  private static func text(
    of name: FileName, in folder: borrowing Directory, owner: UInt32
  ) throws(ImportRefusal) -> SecretBytes? {
    let longest = GoogleAuthenticatorFile.maximumLength
    guard try isFolder(name, in: folder) else {
      return try read(name, in: folder, owner: owner, longest: longest)
    }
    let home = try refusing(try folder.directory(name))
    guard let fileName = FileName(".google_authenticator") else { return nil }
    do throws(ImportRefusal) {
      return try read(fileName, in: home, owner: owner, longest: longest)
    } catch {
      if case .system(let failure) = error.reason, failure.isNotFound { return nil }
      throw error
    }
  }

  // MARK: pam_oath

  private static func items(of path: String, window: UInt8) throws(AdminError) -> [Item] {
    let place = try place(path)
    let entries: [UsersOATHEntry]
    do throws(ImportRefusal) {
      let text = try read(
        place.name, in: place.folder, owner: 0, longest: UsersOATHFile.maximumLength)
      entries = try text.withSpan { text throws(ImportRefusal) in
        try UsersOATHFile.parse(text, window: window) { $0.moments }
      }
    } catch {
      throw .importSource(path, error)
    }
    return entries.map { entry in
      Item(
        user: entry.user?.bytes, line: entry.line, name: "imported \(entry.number)",
        content: entry.result.map {
          Content(factor: $0, recoveryCodes: nil, warnings: $0.warnings)
        })
    }
  }

  // MARK: Opening

  private static func read(
    _ name: FileName, in directory: borrowing Directory, owner: UInt32, longest: Int
  ) throws(ImportRefusal) -> SecretBytes {
    let file = try refusing(try directory.fileForReading(name))
    let status = try refusing(try file.status())
    if let distrust = distrust(status, owner: owner) {
      throw ImportRefusal(reason: .system(.untrusted(distrust)))
    }
    guard status.size <= longest else { throw ImportRefusal(reason: .tooLong(limit: longest)) }
    var text = SecretBytes(count: Int(status.size))
    let isWhole = try refusing(
      try text.withMutableSpan { text throws(SystemError) in try file.read(into: &text) })
    guard isWhole else { throw ImportRefusal(reason: .system(.untrusted(.wrongSize))) }
    return text
  }

  private static func isFolder(
    _ name: FileName, in folder: borrowing Directory
  ) throws(ImportRefusal) -> Bool {
    let opened = try refusing(try folder.fileForReading(name))
    return try refusing(try opened.status()).kind == .directory
  }

  private static func refusing<Result: ~Copyable>(
    _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(ImportRefusal) -> Result {
    do throws(SystemError) { return try body() } catch {
      throw ImportRefusal(reason: .system(error))
    }
  }

  private static func distrust(_ status: FileStatus, owner: UInt32) -> TrustFailure? {
    if status.kind != .regular { return .notARegularFile }
    if status.owner != owner && status.owner != 0 { return .wrongOwner }
    if status.isWritableByOthers { return .wrongPermissions }
    if status.links != 1 { return .severalNames }
    return nil
  }

  /// Opens the parent folder of a path, all of whose folders must belong to root, and returns it
  /// with the last component.
  private static func place(_ path: String) throws(AdminError) -> SignInOrigin {
    guard let trusted = TrustedPath(Array(path.utf8)) else { throw .notAPath(path) }
    do throws(SystemError) {
      return SignInOrigin(folder: try trusted.parent(), name: trusted.last)
    } catch {
      throw .importSource(path, ImportRefusal(reason: .system(error)))
    }
  }

  /// The parent folder and name of a file.
  private struct SignInOrigin: ~Copyable {
    let folder: Directory
    let name: FileName
  }

  private static func on<Result: ~Copyable>(
    _ path: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(AdminError) -> Result {
    do throws(SystemError) { return try body() } catch {
      throw .importSource(path, ImportRefusal(reason: .system(error)))
    }
  }
}
