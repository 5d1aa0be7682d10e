/// The options with which an sshd runs, apart from those that do not change whom it lets in.
package struct RunningServer: Hashable {
  /// The options that name a configuration file or a setting: `-f`, `-o`, `-C` and `-p`.
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
      guard let value, "fo".contains(letters[index]) else { continue }
      options += ["-\(letters[index])", value]
    }
    self.options = options
  }
}
