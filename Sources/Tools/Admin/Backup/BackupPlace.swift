import MFABase

/// A file that an administrator names, in a folder that only root can change.
struct BackupPlace: ~Copyable {
  let path: String
  private let directory: Directory
  private let name: FileName
  private let draft: FileName

  /// Opens the folder of an absolute path.
  init(_ path: String) throws(AdminError) {
    guard let trusted = TrustedPath(Array(path.utf8)),
      let draft = FileName([UInt8(ascii: ".")] + trusted.last.bytes + Array(".part".utf8))
    else { throw .notAPath(path) }
    let directory = try Self.folder(of: trusted, path)
    self.directory = directory
    self.path = path
    self.draft = draft
    name = trusted.last
  }

  private static func folder(
    of trusted: TrustedPath, _ path: String
  ) throws(AdminError) -> Directory {
    do throws(TrustedPath.Refusal) {
      return try trusted.parent()
    } catch {
      switch error {
      case .system(let error): throw .backup(.file(path, error))
      case .untrusted(let distrust): throw .backup(.untrusted(path, distrust))
      }
    }
  }

  /// Throws if the file exists.
  func requireAbsence() throws(AdminError) {
    let found = try onFile { () throws(SystemError) in try directory.identity(of: name) }
    guard found == nil else { throw .backup(.exists(path)) }
  }

  /// Creates a file that only root can read or write, under a temporary name.
  func createDraft() throws(AdminError) -> File {
    try onFile { () throws(SystemError) in
      do throws(SystemError) { try directory.unlink(draft) } catch  where error.isNotFound {}
      let file = try directory.create(draft)
      try file.changeMode(to: 0o600)
      return file
    }
  }

  /// Gives the file its name.
  func publishDraft() throws(AdminError) {
    try onFile { () throws(SystemError) in
      try directory.rename(draft, to: name)
      try directory.sync()
    }
  }

  /// Writes a file with a secret.
  func write(secret: borrowing SecretBytes) throws(AdminError) {
    let file = try createDraft()
    let span = secret.span
    try onFile { () throws(SystemError) in
      try file.changeMode(to: 0o400)
      try file.write(span)
      try file.sync()
    }
    try publishDraft()
  }

  /// Opens the file, which must belong to root and not be writable by other users.
  func open() throws(AdminError) -> File {
    let file = try onFile { () throws(SystemError) in try directory.fileForReading(name) }
    let status = try onFile { () throws(SystemError) in try file.status() }
    guard status.kind == .regular else { throw .backup(.untrusted(path, .notARegularFile)) }
    guard status.owner == 0 else { throw .backup(.untrusted(path, .wrongOwner)) }
    guard !status.isWritableByOthers else {
      throw .backup(.untrusted(path, .wrongPermissions))
    }
    return file
  }

  /// Runs `body`, and converts its error.
  func onFile<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(AdminError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .backup(.file(path, error)) }
  }
}
