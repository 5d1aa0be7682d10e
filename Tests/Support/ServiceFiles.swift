import Foundation

/// The files that `mfa-admin enable` writes, and what it writes down.
public struct ServiceFiles: CustomStringConvertible {
  /// What the files hold at one moment.
  public struct State: Equatable, CustomStringConvertible {
    /// What each file holds; nil where there is none.
    public let contents: [[UInt8]?]

    /// How long each is.
    public var description: String {
      contents.map { $0.map { "\($0.count) bytes" } ?? "none" }.joined(separator: ", ")
    }
  }

  /// mfa-admin as it is installed.
  public static let program = "/usr/sbin/mfa-admin"
  /// The changes that wait.
  public static let pending = "/etc/mfa/changes"
  /// The changes that were confirmed.
  public static let confirmed = "/etc/mfa/enabled"
  /// sshd's.
  public static let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"

  /// The paths that are looked at.
  public let paths: [String]
  /// What they held.
  public let old: State

  /// Takes the present state of services' files, and of sshd's drop-in.
  public init(_ services: [String]) {
    paths = services.map { "/etc/pam.d/\($0)" } + [Self.dropIn]
    old = Self.read(paths)
  }

  private static func read(_ paths: [String]) -> State {
    State(contents: paths.map { FileManager.default.contents(atPath: $0).map { Array($0) } })
  }

  /// Whether everything is as it was, and nothing half done lies about.
  public var isRestored: Bool { present == old && Self.waiting.isEmpty }

  /// The files as they are now.
  public var present: State { Self.read(paths) }

  /// What they held and hold, for messages.
  public var description: String { "\(paths): \(old); now \(present)" }

  /// The changes that wait.
  public static var waiting: [String] { names(in: pending) }

  /// The changes that were confirmed.
  public static var enabled: [String] { names(in: confirmed) }

  private static func names(in folder: String) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
      return []
    }
  }
}

extension Machine {
  /// Has everything that switching services changes put back when the test ends.
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
