/// The options with which an sshd runs, apart from those that do not change whom it lets in.
package struct RunningServer: Hashable {
  /// The options that name a configuration file, a port or a setting: `-f`, `-p` and `-o`. (sshd uses
  /// `-C` in tests of its configuration only.)
  package let options: [String]

  /// Creates the value.
  package init(options: [String]) { self.options = options }

  /// Reads the options from the arguments of a process or of a command in a file, the program first.
  /// Returns nil if the program is not sshd. sshd changes its title to `sshd: ARGUMENTS [listener]
  /// 0 of 10-100 startups`.
  package init?(arguments: [String]) {
    var words = arguments.flatMap { $0.split(separator: " ").map { String($0) } }[...]
    if words.first == "sshd:" { words = words.dropFirst() }
    guard let program = words.popFirst(), program.split(separator: "/").last == "sshd" else {
      return nil
    }
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
  var hasMainConfiguration: Bool { file == nil && values(of: "-o").isEmpty }

  private func values(of option: String) -> [String] {
    pairs.filter { $0.0 == option }.map(\.1)
  }

  private var pairs: [(String, String)] {
    zip(options, options.dropFirst()).enumerated().filter { $0.offset.isMultiple(of: 2) }
      .map(\.element)
  }
}
