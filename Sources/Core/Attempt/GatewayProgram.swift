import MFABase

/// The program that sends messages: the value of `gateway` in mfa.conf.
///
/// MUST 1: only root can have written the program, or can replace it: the file and all directories
/// above it belong to root, and no other user may write to them. No component is a symbolic link.
/// (`GatewayProgramTests`)
package struct GatewayProgram: Sendable {
  /// The path of the program.
  package let path: [UInt8]

  /// Why a program is not run.
  package enum Refusal: UInt8, Error, CaseIterable, Sendable {
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
  }

  /// Checks the program at `path`.
  package init(_ path: [UInt8]) throws(Refusal) {
    guard let trusted = TrustedPath(path) else { throw .notAPath }
    let status: FileStatus
    do throws(TrustedPath.Refusal) {
      let directory = try trusted.parent()
      status = try TrustedPath.translating { () throws(SystemError) in
        try directory.status(of: trusted.last)
      }
    } catch {
      switch error {
      case .system(let error): throw error.isNotFound ? .notFound : .notReadable
      case .untrusted(.symbolicLink): throw .symbolicLink
      case .untrusted(.wrongOwner): throw .directoryOwner
      case .untrusted: throw .directoryWritableByOthers
      }
    }
    guard status.kind == .regular else { throw .notARegularFile }
    guard status.owner == 0 else { throw .wrongOwner }
    guard !status.isWritableByOthers else { throw .writableByOthers }
    guard status.permissions & 0o111 != 0 else { throw .notExecutable }
    self.path = path
  }
}
