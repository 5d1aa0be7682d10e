import MFAAdmin

/// The options with which an sshd runs, apart from those that do not change whom it lets in.
package struct RunningServer: Hashable {
  /// The usual name of the program.
  package static let usualName = "sshd"

  /// The name under which the program runs. Before OpenSSH 9.8, it is the name of sshd's PAM service.
  package let name: String
  /// The options that name a configuration file, a port or a setting: `-f`, `-p` and `-o`. (sshd uses
  /// `-C` in tests of its configuration only.)
  package let options: [String]

  /// Creates the value.
  package init(options: [String], name: String = Self.usualName) {
    self.options = options
    self.name = name
  }

  /// Reads the options from the arguments of a process or of a command in a file, the program first.
  /// Returns nil if the program is not sshd: one of that name, or one of which `isServer` says so. sshd changes
  /// its title to `NAME: ARGUMENTS [listener] 0 of 10-100 startups`.
  package init?(arguments: [String], isServer: (String) -> Bool = { _ in false }) {
    var words = arguments.flatMap { $0.split(separator: " ").map { String($0) } }[...]
    let isTitle = words.first?.hasSuffix(":") ?? false
    if isTitle { words = words.dropFirst() }
    guard let program = words.popFirst(), let name = program.split(separator: "/").last,
      name == Self.usualName || isServer(program)
    else { return nil }
    self.name = String(name)
    var options: [String] = []
    while let word = words.popFirst() {
      guard word.first == "-", word.count > 1 else { break }
      let letters = word.dropFirst()
      guard let index = letters.firstIndex(where: { "bcCEfghkopu".contains($0) }) else { continue }
      let rest = letters[letters.index(after: index)...]
      let value = rest.isEmpty ? words.popFirst() : String(rest)
      guard let value, "fop".contains(letters[index]) else { continue }
      options += ["-\(letters[index])", value]
    }
    self.options = options
  }

  /// The configuration file that the options name, or nil.
  var file: String? { values(of: "-f").last }

  /// The ports that the options name.
  var ports: [String] { values(of: "-p") }

  /// The options that change settings: all but the ports.
  var settings: [String] { pairs.filter { $0.0 != "-p" }.flatMap { [$0.0, $0.1] } }

  /// Whether all settings come from the main configuration file. An option can name another file or a setting.
  var hasMainConfiguration: Bool {
    file == nil && values(of: "-o").isEmpty && name == Self.usualName
  }

  private func values(of option: String) -> [String] {
    pairs.filter { $0.0 == option }.map(\.1)
  }

  private var pairs: [(String, String)] {
    zip(options, options.dropFirst()).enumerated().filter { $0.offset.isMultiple(of: 2) }
      .map(\.element)
  }
}

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

    /// Returns the path of a program whose file was perhaps replaced.
    package static func path(_ target: String) -> String {
      target.hasSuffix(deleted) ? String(target.dropLast(deleted.count)) : target
    }

    /// Whether root alone can have written the file, and named it `sshd`; or as `title` says, which a user can choose
    /// only for a program with a set-ID bit.
    func isRootsServer(_ title: [String]) -> Bool {
      let name = Self.path(path).split(separator: "/").last
      let titled = title.dropFirst().first?.split(separator: "/").last
      return status.kind == .file && status.owner == 0 && status.permissions & 0o022 == 0
        && isInRootsFolder
        && (name == "sshd" || name == titled && status.permissions & 0o6000 == 0)
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

  /// Returns what is known. `programs` are the system's sshds, and `hostMounts` are the mount namespaces
  /// of this process and of the first one.
  package func standing(
    programs: [PathStatus.Identity], hostMounts: [String]
  ) -> Standing {
    guard users.count == 4, users.allSatisfy({ $0 == 0 }) else { return .other }
    guard let mounts, let program else { return .unknown }
    guard hostMounts.contains(mounts) else { return .other }
    if let identity = program.status.identity, programs.contains(identity) { return .server }
    return program.isRootsServer(title) ? .server : .other
  }

  /// The uids in the text of /proc/PID/status (proc_pid_status(5)), or an empty array.
  package static func users(inStatus text: String) -> [UInt32] {
    let line = text.split(separator: "\n").first { $0.hasPrefix("Uid:") }
    let words = line?.split(whereSeparator: \.isWhitespace).dropFirst() ?? []
    let users = words.compactMap { UInt32($0) }
    return users.count == words.count ? users : []
  }
}

/// The settings in a file of a systemd unit (systemd.syntax(7)).
struct UnitText {
  /// A setting.
  struct Setting {
    /// The section, such as `[Service]`.
    let section: String
    let key: String
    let value: String
    /// The file and line.
    let place: String
  }

  /// The settings in the order of the file.
  private(set) var settings: [Setting] = []

  /// Reads a file.
  init(_ text: [UInt8], from path: String) {
    var section = ""
    var pending: (number: Int, text: String)?
    let lines = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let trimmed = Self.trimmed(line)
      if trimmed.hasPrefix("#") || trimmed.hasPrefix(";") { continue }
      let number = pending?.number ?? index + 1
      let joined = (pending.map { $0.text + " " } ?? "") + trimmed
      guard !joined.hasSuffix("\\") else {
        pending = (number, String(joined.dropLast()))
        continue
      }
      pending = nil
      if joined.hasPrefix("[") {
        section = joined
      } else if let sign = joined.firstIndex(of: "=") {
        settings.append(
          Setting(
            section: section, key: Self.trimmed(joined[..<sign]),
            value: Self.trimmed(joined[joined.index(after: sign)...]),
            place: "\(VisibleText.escaping(path)):\(number)"))
      }
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let blanks: Set<Character> = [" ", "\t", "\r"]
    let start = text.drop { blanks.contains($0) }
    guard let last = start.lastIndex(where: { !blanks.contains($0) }) else { return "" }
    return String(start[...last])
  }

  /// Returns the words of a command or of a list of assignments. Quotation marks surround words with
  /// blanks.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character == " " || character == "\t" {
        if let ended = word { words.append(ended) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
