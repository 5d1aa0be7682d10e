/// A process with the title of an sshd that listens, as /proc describes it.
///
/// Every user can give a process such a title. MUST 1: the options in a title count only if root alone
/// can have chosen the title: every uid of the process is root's, its program is the system's sshd, and
/// it runs in the mount namespace of this host. (`ServerProcessTests`, `EndToEnd.Doctor.falseServer`)
package struct ServerProcess: Equatable {
  /// A program file.
  package struct Program: Equatable {
    /// The status of the file.
    package let status: PathStatus
    /// The path from which it was started.
    package let path: String
    /// Whether only root can change the folders of that path.
    package let isInRootsFolder: Bool

    /// The ending of the path of a file that was removed or replaced since.
    private static let deleted = " (deleted)"

    package init(status: PathStatus, path: String, isInRootsFolder: Bool) {
      self.status = status
      self.path = path
      self.isInRootsFolder = isInRootsFolder
    }

    /// Returns the path of a program whose file was perhaps replaced.
    package static func path(_ target: String) -> String {
      target.hasSuffix(deleted) ? String(target.dropLast(deleted.count)) : target
    }

    /// Whether root alone can have written the file, and named it `sshd`.
    var isRootsServer: Bool {
      status.kind == .file && status.owner == 0 && status.permissions & 0o022 == 0
        && isInRootsFolder && Self.path(path).split(separator: "/").last == "sshd"
    }
  }

  /// What is known about a process.
  package enum Standing: Equatable {
    /// It is an sshd of this host.
    case server
    /// It is the process of another user, another program, or a process of a container.
    case other
    /// It is a process of root that cannot be examined.
    case unknown
  }

  /// The process ID.
  package let number: Int32
  /// The words of its title.
  package let title: [String]
  /// The real, effective, saved and file-system uids.
  package let users: [UInt32]
  /// The mount namespace, or nil if it cannot be read.
  package let mounts: String?
  /// The program, or nil if it cannot be read.
  package let program: Program?

  package init(
    number: Int32, title: [String], users: [UInt32], mounts: String?, program: Program?
  ) {
    self.number = number
    self.title = title
    self.users = users
    self.mounts = mounts
    self.program = program
  }

  /// Returns what is known. `programs` are the system's sshds, and `hostMounts` are the mount namespaces
  /// of this process and of the first one.
  package func standing(
    programs: [PathStatus.Identity], hostMounts: [String]
  ) -> Standing {
    guard users.count == 4, users.allSatisfy({ $0 == 0 }) else { return .other }
    guard let mounts, let program else { return .unknown }
    guard hostMounts.contains(mounts) else { return .other }
    if let identity = program.status.identity, programs.contains(identity) { return .server }
    return program.isRootsServer ? .server : .other
  }

  /// The uids in the text of /proc/PID/status (proc_pid_status(5)), or an empty array.
  package static func users(inStatus text: String) -> [UInt32] {
    let line = text.split(separator: "\n").first { $0.hasPrefix("Uid:") }
    let words = line?.split(whereSeparator: \.isWhitespace).dropFirst() ?? []
    let users = words.compactMap { UInt32($0) }
    return users.count == words.count ? users : []
  }
}
