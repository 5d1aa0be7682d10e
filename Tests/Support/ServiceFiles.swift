import Foundation

/// The files that `mfa-admin enable` writes, and its records of changes.
package struct ServiceFiles: CustomStringConvertible {
  /// The content of the files at one moment.
  package struct State: Equatable, CustomStringConvertible {
    /// The content of each file, or nil if it does not exist.
    package let contents: [[UInt8]?]

    /// The length of each file.
    package var description: String {
      contents.map { $0.map { "\($0.count) bytes" } ?? "none" }.joined(separator: ", ")
    }
  }

  /// The installed path of mfa-admin.
  package static let program = "/usr/sbin/mfa-admin"
  /// The folder of the pending changes.
  package static let pending = "/etc/mfa/changes"
  /// The folder of the confirmed changes.
  package static let confirmed = "/etc/mfa/enabled"
  /// The drop-in file for sshd.
  package static let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"

  /// The paths that are compared.
  package let paths: [String]
  /// The content at the start of the test.
  package let old: State

  /// Records the present content of the service files and of sshd's drop-in.
  package init(_ services: [String]) {
    paths = services.map { "/etc/pam.d/\($0)" } + [Self.dropIn]
    old = Self.read(paths)
  }

  private static func read(_ paths: [String]) -> State {
    State(contents: paths.map { FileManager.default.contents(atPath: $0).map { Array($0) } })
  }

  /// Whether the files have their original content and no change is pending.
  package var isRestored: Bool { present == old && Self.waiting.isEmpty }

  /// The present content of the files.
  package var present: State { Self.read(paths) }

  /// The original and present content, for messages.
  package var description: String { "\(paths): \(old); now \(present)" }

  /// The pending changes.
  package static var waiting: [String] { names(in: pending) }

  /// The confirmed changes.
  package static var enabled: [String] { names(in: confirmed) }

  private static func names(in folder: String) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
      return []
    }
  }
}

extension Machine {
  /// Restores, when the test ends, all files that enabling or disabling a service changes.
  package func keepServices() throws(HarnessFailure) {
    for path in [
      "/etc/pam.d", "/etc/ssh", ServiceFiles.pending, ServiceFiles.confirmed,
    ] {
      try keep(path)
    }
  }

  /// Runs mfa-admin.
  package func administer(
    _ arguments: String..., through command: [String] = []
  ) throws(HarnessFailure) -> Command {
    try Command.run(command + [ServiceFiles.program] + arguments)
  }

  /// Runs mfa-admin, which must succeed.
  @discardableResult
  package func mustAdminister(_ arguments: String...) throws(HarnessFailure) -> Command {
    let command = try Command.run([ServiceFiles.program] + arguments)
    guard command.status.isSuccess else {
      throw HarnessFailure(
        "mfa-admin \(arguments.joined(separator: " ")): \(command.status)",
        evidence: [("output", command.text), ("errors", command.errorText)])
    }
    return command
  }
}
