import MFAAdmin
import MFABase

// What the settings of programs change about PAM's questions and answers.

/// The settings of ProFTPD (parser.c, mod_auth.c and mod_auth_pam.c of ProFTPD 1.3.8).
struct ProFTPD {
  static let name = "ProFTPD"
  /// The files of Debian and of Fedora.
  private static let paths = ["/etc/proftpd/proftpd.conf", "/etc/proftpd.conf"]
  private static let mostFiles = 1000

  /// A part of the settings.
  private enum Section: Hashable {
    case main
    case global
    case virtualHost(Int)
  }

  /// The sections with AuthOrder, and whether a refusal of PAM ends a sign-in there.
  private var letsPAMDecide: [Section: Bool] = [:]
  private var section = Section.main
  private var virtualHosts = 0
  private var files = 0

  /// Returns why the password alone signs users in, or nil if a refusal of PAM is the end of a sign-in.
  static func passwordAlone(on host: any ExaminedHost) throws(AdminError) -> PasswordAlone? {
    var path = paths[0]
    for other in paths.reversed() where try host.status(of: other) != nil { path = other }
    var settings = ProFTPD()
    try settings.read(path, on: host)
    guard !settings.letsPAMDecideEverywhere else { return nil }
    let order = "AuthOrder mod_auth_pam.c* mod_auth_unix.c"
    return PasswordAlone(
      settings: path,
      reason:
        "after a refusal of PAM, ProFTPD asks mod_auth_unix, unless AuthOrder says that PAM decides",
      hint: settings.virtualHosts == 0
        ? "add \"\(order)\" to \(path), and restart proftpd"
        : "put \"\(order)\" in <Global> of \(path), remove any other AuthOrder, and restart proftpd"
    )
  }

  private var letsPAMDecideEverywhere: Bool {
    let servers = [.main] + (0..<virtualHosts).map { Section.virtualHost($0) }
    return letsPAMDecide.values.allSatisfy { $0 }
      && (letsPAMDecide[.global] != nil || servers.allSatisfy { letsPAMDecide[$0] != nil })
  }

  /// Reads a file with the files that it includes, or a folder.
  private mutating func read(_ path: String, on host: any ExaminedHost) throws(AdminError) {
    guard try host.status(of: path)?.kind != .folder else {
      for name in try host.names(in: path).sorted() { try read("\(path)/\(name)", on: host) }
      return
    }
    files += 1
    guard files <= Self.mostFiles else {
      throw AdminError(at: path, "more than \(Self.mostFiles) files are included")
    }
    let text = String(decoding: try host.text(of: path) ?? [], as: UTF8.self)
    for line in text.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      switch (words.first?.lowercased(), words.dropFirst().first) {
      case ("<global>", _): section = .global
      case ("<virtualhost", _):
        section = .virtualHost(virtualHosts)
        virtualHosts += 1
      case ("</global>", _), ("</virtualhost>", _): section = .main
      case ("authorder", let first):
        letsPAMDecide[section] = letsPAMDecide[section] != false && first == "mod_auth_pam.c*"
      case ("include", let pattern?):
        let found = host.glob(String(pattern))
        if let error = found.unread.first { throw error }
        for path in found.paths { try read(path, on: host) }
      case _: break
      }
    }
  }
}

/// The settings of Samba (testparm(1)).
enum Samba {
  static let name = "Samba"
  private static let testparm = "/usr/bin/testparm"

  /// Returns whether Samba runs PAM's `account` lines.
  static func runsAccountLines(on host: any ExaminedHost) throws(AdminError) -> Bool {
    let arguments = ["-s", "--parameter-name=obey pam restrictions"]
    guard let output = try host.output(of: testparm, arguments) else {
      throw AdminError(at: testparm, SystemError.notFound(.open).text)
    }
    guard output.isSuccess else { throw AdminError(at: testparm, output.complaint) }
    return String(decoding: output.output, as: UTF8.self).lowercased()
      .split(whereSeparator: \.isWhitespace) == ["yes"]
  }
}

/// The settings of Dovecot (doveconf(1), passdb-pam.c of Dovecot 2.3.19 and 2.4.1).
enum Dovecot {
  static let name = "Dovecot"
  /// The file with the settings, or that includes the others.
  static let settings = "/etc/dovecot/dovecot.conf"
  private static let doveconf = "/usr/bin/doveconf"

  /// Returns whether Dovecot caches the answers that PAM has accepted.
  static func hasCache(on host: any ExaminedHost) throws(AdminError) -> Bool {
    guard let output = try host.output(of: doveconf, ["-n"]) else { return false }
    guard output.isSuccess else { throw AdminError(at: doveconf, output.complaint) }
    var (hasCache, isUsed) = (false, true)
    var databases: [PasswordDatabase] = []
    // The names of the blocks around a line.
    var blocks: [Substring] = []
    for line in String(decoding: output.output, as: UTF8.self).split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      let values = words.dropFirst(2)
      switch (words.first, blocks.last) {
      case ("}", _): _ = blocks.popLast()
      case (let key?, _) where words.last == "{":
        blocks.append(key)
        if key == "passdb" {
          databases.append(PasswordDatabase(named: words.dropLast().dropFirst().first))
        }
      case (let key?, "passdb"): databases[databases.count - 1].set(key, values)
      case ("auth_cache_size", _): hasCache = hasCache || values.first != "0"
      case ("passdb_use_cache", _): isUsed = values.first == "yes"
      case _: break
      }
    }
    return hasCache && databases.contains { $0.asksPAM && $0.usesCache ?? isUsed }
  }

  /// A database of passwords.
  private struct PasswordDatabase {
    private(set) var asksPAM: Bool
    /// Whether it caches answers. If nil, the setting for all databases decides.
    private(set) var usesCache: Bool?

    /// Creates a database without settings. Since Dovecot 2.4, it has a name, and uses the driver of this name.
    /// Dovecot 2.3 caches answers of PAM only with a key for them.
    init(named name: Substring?) {
      asksPAM = name == "pam"
      usesCache = name == nil ? false : nil
    }

    mutating func set(_ key: Substring, _ values: ArraySlice<Substring>) {
      switch key {
      case "driver", "passdb_driver": asksPAM = values.first == "pam"
      case "args": usesCache = values.contains { $0.hasPrefix("cache_key=") }
      case "use_cache", "passdb_use_cache": usesCache = values.first == "yes"
      case _: break
      }
    }
  }
}

/// The settings of OpenVPN's servers that ask PAM (options.c, and auth-pam.c of the plug-in, of OpenVPN 2.6.14).
enum OpenVPN {
  static let name = "OpenVPN"
  private static let folders = ["/etc/openvpn", "/etc/openvpn/server"]
  private static let plugIn = "openvpn-plugin-auth-pam"

  /// A server whose plug-in uses a PAM service.
  struct Server {
    /// The file that OpenVPN is started with.
    let path: String
    /// The file and line with the plug-in.
    let place: String
    /// How the questions begin that the plug-in knows, each with its answer. Without any, it gives each question the
    /// same answer.
    let prompts: [(start: String, answer: String)]
    /// Whether clients prove with a token, rather than a used code, that they have signed in.
    let hasToken: Bool

    /// Whether the plug-in gives the code to one of the questions that it knows.
    var asksForCode: Bool { prompts.contains { OpenVPN.isCode($0.answer) } }

    /// Returns whether the plug-in answers a question with the code.
    func givesCode(to question: [UInt8]) -> Bool {
      // The first prompt counts with which the question begins, after what is no letter and no digit.
      let question = OpenVPN.lowercased(question.drop { !OpenVPN.isAlphanumeric($0) })
      guard !question.isEmpty else { return false }
      let prompt = prompts.first { question.starts(with: OpenVPN.lowercased($0.start.utf8)) }
      return prompt.map { OpenVPN.isCode($0.answer) } ?? false
    }
  }

  /// Returns the servers whose plug-in uses a service.
  static func servers(
    of service: [UInt8], on host: any ExaminedHost
  ) throws(AdminError) -> [Server] {
    var servers: [Server] = []
    for folder in folders {
      var included: Set<String> = []
      var found: [Server] = []
      for name in try host.names(in: folder).sorted() where name.hasSuffix(".conf") {
        let path = "\(folder)/\(name)"
        var files: Set<String> = []
        let lines = try lines(of: path, in: folder, on: host, without: &files)
        included.formUnion(files.subtracting([path]))
        found += Self.servers(lines, path, service)
      }
      // A file that others include is a part of theirs.
      servers += found.filter { !included.contains($0.path) }
    }
    return servers
  }

  /// Returns how the servers pass on PAM's questions, or nil if no server uses the service.
  static func conversation(
    at service: [UInt8], on host: any ExaminedHost
  ) throws(AdminError) -> ServiceConversation? {
    let servers = try servers(of: service, on: host)
    guard !servers.isEmpty else { return nil }
    return servers.allSatisfy(\.asksForCode) ? .fields : .oneField
  }

  /// A line of a file.
  private struct Line {
    let path: String
    let number: Int
    let words: [String]

    /// The words after the name of the option, or nil if the line has another option.
    func values(of option: String) -> ArraySlice<String>? {
      words.first == option || words.first == "--" + option ? words.dropFirst() : nil
    }
  }

  /// Returns the lines of a file with those of the files that it includes, each file once, without blocks such as
  /// `<ca>`. The units start OpenVPN in the folder of the first file.
  private static func lines(
    of path: String, in folder: String, on host: any ExaminedHost, without files: inout Set<String>
  ) throws(AdminError) -> [Line] {
    guard files.insert(path).inserted, let text = try host.text(of: path) else { return [] }
    var lines: [Line] = []
    var inline: String?
    let texts = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, text) in texts.enumerated() {
      if let end = inline {
        if text.drop(while: \.isWhitespace).hasPrefix(end) { inline = nil }
        continue
      }
      let line = Line(path: path, number: index + 1, words: words(text))
      lines.append(line)
      if let tag = line.words.first, tag.hasPrefix("<"), tag.hasSuffix(">") {
        inline = "</" + tag.dropFirst()
      } else if let file = line.values(of: "config")?.first {
        let path = file.hasPrefix("/") ? file : "\(folder)/\(file)"
        lines += try Self.lines(of: path, in: folder, on: host, without: &files)
      }
    }
    return lines
  }

  /// Returns the servers with lines in which the plug-in uses a service.
  private static func servers(_ lines: [Line], _ path: String, _ service: [UInt8]) -> [Server] {
    let hasToken = lines.contains { $0.values(of: "auth-gen-token") != nil }
    return lines.compactMap { line in
      guard let values = line.values(of: "plugin"), let plugIn = values.first,
        plugIn.split(separator: "/").last?.hasPrefix(Self.plugIn) == true
      else { return nil }
      // One word after the plug-in is a line of words.
      let rest = values.dropFirst()
      let arguments = rest.count == 1 ? rest.flatMap { words($0[...]) } : Array(rest)
      guard arguments.first?.utf8.elementsEqual(service) == true else { return nil }
      let pairs = Array(arguments.dropFirst())
      let prompts = stride(from: 0, to: pairs.count - 1, by: 2).map {
        (start: pairs[$0], answer: pairs[$0 + 1])
      }
      return Server(
        path: path, place: "\(line.path):\(line.number)", prompts: prompts, hasToken: hasToken)
    }
  }

  /// Returns the words of a line, without quotation marks and without a comment.
  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var mark: Character?
    var characters = line.makeIterator()
    while let character = characters.next() {
      switch (character, mark) {
      case ("\\", nil), ("\\", "\""):
        word = (word ?? "") + (characters.next().map { "\($0)" } ?? "")
      case (let end, let opened?) where end == opened:
        words.append(word ?? "")
        (word, mark) = (nil, nil)
      case (_, _?): word = (word ?? "") + "\(character)"
      case (let space, nil) where space.isWhitespace:
        if let word { words.append(word) }
        word = nil
      case ("#", nil) where word == nil, (";", nil) where word == nil: return words
      case ("\"", nil) where word == nil, ("'", nil) where word == nil: mark = character
      case (_, nil): word = (word ?? "") + "\(character)"
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  /// Returns whether the plug-in replaces an answer by the code: other words in it come first.
  fileprivate static func isCode(_ answer: String) -> Bool {
    answer.contains("OTP")
      && !["USERNAME", "PASSWORD", "COMMONNAME"].contains { answer.contains($0) }
  }

  fileprivate static func isAlphanumeric(_ byte: UInt8) -> Bool {
    let character = Character(Unicode.Scalar(byte))
    return character.isASCII && (character.isLetter || character.isNumber)
  }

  fileprivate static func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
