import Foundation

/// The files that `mfa-admin enable` writes, and its records of changes.
public struct ServiceFiles: CustomStringConvertible {
  /// The content of the files at one moment.
  public struct State: Equatable, CustomStringConvertible {
    /// The content of each file, or nil if it does not exist.
    public let contents: [[UInt8]?]

    /// The length of each file.
    public var description: String {
      contents.map { $0.map { "\($0.count) bytes" } ?? "none" }.joined(separator: ", ")
    }
  }

  /// The installed path of mfa-admin.
  public static let program = "/usr/sbin/mfa-admin"
  /// The folder of the pending changes.
  public static let pending = "/etc/mfa/changes"
  /// The folder of the confirmed changes.
  public static let confirmed = "/etc/mfa/enabled"
  /// The drop-in file for sshd.
  public static let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"

  /// The paths that are compared.
  public let paths: [String]
  /// The content at the start of the test.
  public let old: State

  /// Records the present content of the service files and of sshd's drop-in.
  public init(_ services: [String]) {
    paths = services.map { "/etc/pam.d/\($0)" } + [Self.dropIn]
    old = Self.read(paths)
  }

  private static func read(_ paths: [String]) -> State {
    State(contents: paths.map { FileManager.default.contents(atPath: $0).map { Array($0) } })
  }

  /// Whether the files have their original content and no change is pending.
  public var isRestored: Bool { present == old && Self.waiting.isEmpty }

  /// The present content of the files.
  public var present: State { Self.read(paths) }

  /// The original and present content, for messages.
  public var description: String { "\(paths): \(old); now \(present)" }

  /// The pending changes.
  public static var waiting: [String] { names(in: pending) }

  /// The confirmed changes.
  public static var enabled: [String] { names(in: confirmed) }

  private static func names(in folder: String) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
      return []
    }
  }
}

extension Machine {
  /// Restores, when the test ends, all files that enabling or disabling a service changes.
  public func keepServices() throws(HarnessFailure) {
    for path in [
      "/etc/pam.d", "/etc/ssh", ServiceFiles.pending, ServiceFiles.confirmed,
    ] {
      try keep(path)
    }
  }

  /// Runs mfa-admin.
  public func administer(
    _ arguments: String..., through command: [String] = []
  ) throws(HarnessFailure) -> Command {
    try Command.run(command + [ServiceFiles.program] + arguments)
  }
}
