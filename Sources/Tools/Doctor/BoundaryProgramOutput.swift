import MFAAdmin
import MFABase

extension ProgramOutput {
  /// Runs the program at `path` for at most `seconds`. Returns nil if the program does not exist, and throws if a user
  /// other than root could have changed it.
  static func of(
    _ path: String, _ arguments: [String], seconds: Int64
  ) throws(AdminError) -> ProgramOutput? {
    guard let trusted = TrustedPath(Array(path.utf8)) else { return nil }
    do throws(SystemError) { try check(trusted) } catch {
      guard !error.isNotFound else { return nil }
      throw AdminError(
        at: path, (error.distrust == nil ? "" : "the program is not trusted: ") + error.text)
    }
    return try ChildProgram(arguments: [path] + arguments, seconds: seconds).run()
  }

  /// Throws if a user other than root owns the program or can change it.
  private static func check(_ path: TrustedPath) throws(SystemError) {
    let directory = try path.parent()
    let status = try directory.fileForReading(path.last).status()
    if let distrust = status.distrust { throw .untrusted(distrust) }
  }
}
