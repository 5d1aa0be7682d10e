import MFAAdmin
import MFABase

/// The sshds that run or that units start, and the ports at which the main one listens.
struct SSHDServers {
  /// A server with another configuration than the main one.
  struct Other {
    let server: RunningServer
    /// Where the options come from, in words.
    let source: String
    /// Where the options come from: a file, a line, or a path of sshd.
    let place: String
  }

  /// The servers with another configuration.
  private(set) var others: [Other] = []
  /// The ports at which servers with the main configuration listen, besides those that it names.
  private var ports: [String] = []
  /// The processes of servers with the main configuration.
  private(set) var processes: [Int32] = []
  /// The findings about options that could not be determined.
  private(set) var findings: [Finding] = []

  /// The servers with the main configuration, as one with all their ports.
  var main: RunningServer { RunningServer(options: ports.flatMap { ["-p", $0] }) }

  private var seen: Set<RunningServer> = []

  /// The file with the options of Debian's ssh service.
  private static let defaults = "/etc/default/ssh"

  /// Finds the servers of a host.
  init(of host: any ExaminedHost) {
    addProcesses(of: host)
    do throws(AdminError) {
      let options = Self.variables(try host.text(of: Self.defaults) ?? [])["SSHD_OPTS"]
      if let options, let server = RunningServer(arguments: ["sshd", options]) {
        add(Other(server: server, source: Self.defaults, place: Self.defaults), host)
      }
    } catch {
      findings.append(.unchecked("the options of sshd", error))
    }
    do throws(AdminError) {
      let own = Set(try host.names(in: UnitFiles.administrators))
      let units = try UnitFiles.names(on: host) { name in
        name.hasPrefix("ssh") && name.hasSuffix(".socket")
          || (name.hasPrefix("ssh") || own.contains(name)) && name.hasSuffix(".service")
      }
      for unit in units { try add(unit, host) }
    } catch {
      findings.append(.unchecked("the units of sshd", error))
    }
  }

  private mutating func addProcesses(of host: any ExaminedHost) {
    let programs = SSHDView.programs.compactMap { ResolvedPath($0, on: host).end?.identity }
    let hostMounts = host.hostMounts
    for process in host.serverProcesses() {
      let standing = process.standing(programs: programs, hostMounts: hostMounts)
      // Root alone has chosen the title of a server, whatever the name of its program.
      guard
        let server = RunningServer(arguments: process.title, isServer: { _ in standing == .server })
      else { continue }
      switch standing {
      case .other: continue
      case .server:
        if server.hasMainConfiguration { processes.append(process.number) }
        add(Other(server: server, source: "a running sshd", place: SSHDView.programs[0]), host)
      case .unknown:
        guard !server.hasMainConfiguration else { continue }
        findings.append(
          .unchecked(
            "the options of a running sshd", at: SSHDView.programs[0],
            "process \(process.number) may be one, but its program cannot be read"))
      }
    }
  }

  /// Adds a server. sshd is never started to read a file that a user other than root could have chosen.
  private mutating func add(_ other: Other, _ host: any ExaminedHost) {
    guard !other.server.hasMainConfiguration else {
      ports += other.server.ports.filter { !ports.contains($0) }
      return
    }
    guard seen.insert(other.server).inserted else { return }
    if let file = other.server.file, let distrust = ResolvedPath(file, on: host).distrust {
      findings.append(
        .unchecked(
          "the sshd with the options "
            + VisibleText.escaping(other.server.options.joined(separator: " "))
            + " (\(other.source))",
          at: VisibleText.escaping(file), "a user may have changed its file: \(distrust.name)"))
      return
    }
    others.append(other)
  }

  private mutating func add(_ unit: String, _ host: any ExaminedHost) throws(AdminError) {
    let settings = try UnitFiles.settings(of: unit, on: host)
    guard !unit.hasSuffix(".socket") else {
      guard try UnitFiles.isInUse(unit, on: host) else { return }
      for value in Self.values("ListenStream", in: "[Socket]", settings) {
        let port = String(value.value.split(separator: ":").last ?? "")
        if UInt16(port) != nil, !ports.contains(port) { ports.append(port) }
      }
      return
    }
    let variables = try Self.environment(settings, host)
    let programs = SSHDView.programs.compactMap { ResolvedPath($0, on: host).end?.identity }
    for command in Self.values("ExecStart", in: "[Service]", settings) {
      let words = Self.expanded(command.value, variables)
      let server = RunningServer(arguments: words) { program in
        let identity = ResolvedPath(program, on: host).end?.identity
        return identity != nil && programs.contains { $0 == identity }
      }
      if let server {
        add(
          Other(server: server, source: VisibleText.escaping(unit), place: command.place), host)
      } else if Self.mentionsServer(words) {
        findings.append(
          .unchecked(
            "the options of sshd", at: command.place,
            "\(VisibleText.escaping(unit)) starts it through another program"))
      }
    }
  }

  /// Returns whether a command that does not begin with sshd names sshd.
  private static func mentionsServer(_ words: [String]) -> Bool {
    words.flatMap { $0.split { " ;&|()\"'".contains($0) } }
      .contains { $0.split(separator: "/").last == "sshd" }
  }

  // MARK: Settings of units

  /// Returns the values of a key. An empty value removes the values before it.
  private static func values(
    _ key: String, in section: String, _ settings: [UnitText.Setting]
  ) -> [UnitText.Setting] {
    var values: [UnitText.Setting] = []
    for setting in settings where setting.key == key && setting.section == section {
      if setting.value.isEmpty { values = [] } else { values.append(setting) }
    }
    return values
  }

  /// Returns the variables of a unit. Those in files take precedence (systemd.exec(5)).
  private static func environment(
    _ settings: [UnitText.Setting], _ host: any ExaminedHost
  ) throws(AdminError) -> [String: String] {
    var variables: [String: String] = [:]
    for setting in values("Environment", in: "[Service]", settings) {
      for word in UnitText.words(setting.value) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      }
    }
    for setting in values("EnvironmentFile", in: "[Service]", settings) {
      let path = String(setting.value.drop { $0 == "-" })
      // A file that does not exist sets nothing, or the unit does not start.
      variables.merge(Self.variables(try host.text(of: path) ?? [])) { $1 }
    }
    return variables
  }

  /// Returns the variables that a file sets for a unit or a shell.
  private static func variables(_ text: [UInt8]) -> [String: String] {
    var variables: [String: String] = [:]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      var line = line.drop { $0 == " " || $0 == "\t" }
      if line.hasPrefix("export ") { line = line.dropFirst("export ".count) }
      guard line.first != "#", let sign = line.firstIndex(of: "=") else { continue }
      let rest = line[line.index(after: sign)...]
      let value =
        switch rest.first {
        case "\"", "'": rest.dropFirst().prefix { $0 != rest.first }
        case _: rest.prefix { $0 != "#" }
        }
      variables[String(line[..<sign])] = String(value)
    }
    return variables
  }

  /// Returns the words of a command: `$NAME` as a word of its own stands for several words, `${NAME}`
  /// for a part of one (systemd.service(5)).
  private static func expanded(_ command: String, _ variables: [String: String]) -> [String] {
    var words = UnitText.words(command)
    if let program = words.first { words[0] = String(program.drop { "-@:+!|".contains($0) }) }
    return words.flatMap { word -> [String] in
      if word.first == "$", !word.hasPrefix("${") {
        return UnitText.words(variables[String(word.dropFirst())] ?? "")
      }
      return [word.replacing(/\$\{([A-Za-z0-9_]+)\}/) { variables[String($0.1)] ?? "" }]
    }
  }
}
