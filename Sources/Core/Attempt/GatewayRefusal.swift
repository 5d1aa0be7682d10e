import MFABase

/// Why the program that sends messages, the value of `gateway` in mfa.conf, is not run.
///
/// MUST 1: only root can have written the program, or can replace it: the file and all directories
/// above it belong to root, and no other user may write to them. No component is a symbolic link.
/// (`GatewayProgramTests`)
package enum GatewayRefusal: UInt8, CaseIterable, Sendable {
  case notAPath = 1
  case notFound, notReadable
  case symbolicLink, notARegularFile
  case wrongOwner, writableByOthers, notExecutable
  case directoryOwner, directoryWritableByOthers

  /// The reason, as written in log lines.
  package var name: StaticString {
    switch self {
    case .notAPath: "not-a-path"
    case .notFound: "not-found"
    case .notReadable: "not-readable"
    case .symbolicLink: "symbolic-link"
    case .notARegularFile: "not-a-regular-file"
    case .wrongOwner: "wrong-owner"
    case .writableByOthers: "writable-by-others"
    case .notExecutable: "not-executable"
    case .directoryOwner: "directory-wrong-owner"
    case .directoryWritableByOthers: "directory-writable-by-others"
    }
  }

  /// Returns why the program at `path` is not run, or nil if it may run.
  package static func of(_ path: [UInt8]) -> GatewayRefusal? {
    guard let trusted = TrustedPath(path) else { return .notAPath }
    let status: FileStatus
    do throws(SystemError) {
      status = try trusted.parent().status(of: trusted.last)
    } catch {
      switch error.distrust {
      case nil: return error.isNotFound ? .notFound : .notReadable
      case .symbolicLink: return .symbolicLink
      case .wrongOwner: return .directoryOwner
      default: return .directoryWritableByOthers
      }
    }
    guard status.kind == .regular else { return .notARegularFile }
    guard status.owner == 0 else { return .wrongOwner }
    guard !status.isWritableByOthers else { return .writableByOthers }
    guard status.permissions & 0o111 != 0 else { return .notExecutable }
    return nil
  }
}
