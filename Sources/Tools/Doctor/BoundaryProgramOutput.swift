import MFAAdmin
import MFABase

extension ProgramOutput {
  /// Runs the program at `path` for at most `seconds`. Returns nil if the program does not exist, and throws if a user
  /// other than root could have changed it.
  static func of(
    _ path: String, _ arguments: [String], seconds: Int64
  ) throws(Failure) -> ProgramOutput? {
    guard try isRoots(path) else { return nil }
    return try ChildProgram(arguments: [path] + arguments, seconds: seconds).run()
  }

  /// Returns whether the program exists. Throws if a user other than root owns it or can change it.
  private static func isRoots(_ path: String) throws(Failure) -> Bool {
    guard let trusted = TrustedPath(Array(path.utf8)) else { return false }
    let status: FileStatus
    do throws(TrustedPath.Refusal) {
      status = try Self.status(of: trusted)
    } catch {
      switch error {
      case .system(let error):
        guard error.isNotFound else { throw .system(error) }
        return false
      case .untrusted(let distrust): throw .untrusted(distrust)
      }
    }
    guard status.kind == .regular else { throw .untrusted(.notARegularFile) }
    guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
    guard !status.isWritableByOthers else { throw .untrusted(.wrongPermissions) }
    return true
  }

  private static func status(of path: TrustedPath) throws(TrustedPath.Refusal) -> FileStatus {
    let directory = try path.parent()
    return try TrustedPath.translating { () throws(SystemError) in
      try directory.fileForReading(path.last).status()
    }
  }
}
