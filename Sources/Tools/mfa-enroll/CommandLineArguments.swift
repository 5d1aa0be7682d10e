import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MFAMessages

/// The words after `mfa-enroll`.
enum CommandLineArguments {
  /// Returns the arguments with the common options that precede the command behind it, where the parser expects
  /// them.
  static func ordered(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    while let option = rest.first {
      switch option {
      case "--stdin", "--json", "--help", "-h": rest = rest.dropFirst()
      case "--user": rest = rest.dropFirst(2)
      case _ where option.hasPrefix("--user="): rest = rest.dropFirst()
      case _ where option.hasPrefix("-"): return arguments
      default:
        return [option] + arguments[..<rest.startIndex] + rest.dropFirst()
      }
    }
    return arguments
  }

  /// Returns the failure of a command line that the parser did not understand. `text` is the problem in the words of
  /// the parser, which are English.
  static func failure(for arguments: [String], _ text: String) -> Failure {
    let arguments = ordered(arguments)
    if let unknown = CommandSuggestion.failure(for: arguments, among: MFAEnroll.commandNames) {
      return unknown
    }
    let command = arguments.first.flatMap { MFAEnroll.commandNames.contains($0) ? " \($0)" : nil }
    return Failure(
      .usage(UsageProblem(parserText: text), command: "mfa-enroll\(command ?? "")"), status: .usage)
  }
}

extension UsageProblem {
  /// Recognises a sentence of the parser. Another sentence is `notUnderstood`.
  init(parserText text: String) {
    func begins(_ words: String) -> String? {
      text.hasPrefix(words) ? String(text.dropFirst(words.count)) : nil
    }
    func upTo(_ end: Character, _ text: String) -> String {
      FactorChoice.shown(String(text.prefix { $0 != end }))
    }
    if let rest = begins("Unknown option '") {
      self = .unknownOption(upTo("'", rest))
    } else if let rest = begins("Missing value for '") {
      self = .valueMissing(option: upTo(" ", rest))
    } else if let rest = begins("Missing expected argument '") {
      self = .argumentMissing(upTo("'", rest))
    } else if let rest = begins("Unexpected argument '") {
      self = .argumentUnexpected(upTo("'", rest))
    } else if text.contains(" unexpected arguments: '") {
      self = .argumentUnexpected(upTo("'", String(text.drop { $0 != "'" }.dropFirst())))
    } else if let rest = begins("The value '"),
      let middle = rest.firstRange(of: "' is invalid for '")
    {
      self = .valueInvalid(
        option: upTo(" ", String(rest[middle.upperBound...])),
        value: FactorChoice.shown(String(rest[..<middle.lowerBound])))
    } else {
      self = .notUnderstood
    }
  }
}

/// The parser's help, in lines that fit the window: the parser writes the usage in one line, however long it is.
enum HelpText {
  /// Prints a help.
  static func print(_ help: String) {
    let columns = Output.standardOutput.terminalSize?.columns ?? 80
    Output.standardOutput.write(wrapped(help, to: columns) + "\n")
  }

  /// Returns a help with its usage in lines of at most `columns`. An option and its value stay together.
  static func wrapped(_ help: String, to columns: Int) -> String {
    help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix(label) ? usage(line, columns) : String(line)
    }.joined(separator: "\n")
  }

  private static let label = "USAGE: "

  private static func usage(_ line: Substring, _ columns: Int) -> String {
    var text = ""
    var column = 0
    for part in line.replacing(" [", with: "\n[").split(separator: "\n") {
      if column > label.count, column + 1 + part.count > columns {
        text += "\n" + String(repeating: " ", count: label.count)
        column = label.count
      } else if column > 0 {
        text += " "
        column += 1
      }
      text += part
      column += part.count
    }
    return text
  }
}

/// The command that the user probably meant.
enum CommandSuggestion {
  /// Returns the failure for an unknown first word, or nil if the first argument is an option or a
  /// command.
  static func failure(for arguments: [String], among commands: [String]) -> Failure? {
    guard let word = arguments.first, !word.hasPrefix("-"), !commands.contains(word) else {
      return nil
    }
    let shown = FactorChoice.shown(word)
    return Failure(
      .unknownCommand(shown, meant: nearest(to: word, among: commands)), status: .usage)
  }

  /// Returns the command that differs from `word` by at most two edits, a third of its length. Of
  /// several, returns the nearest.
  static func nearest(to word: String, among commands: [String]) -> String? {
    let near = commands.map { (command: $0, edits: edits(from: word, to: $0)) }
      .filter { $0.edits <= min(2, max(1, word.count / 3)) }
    return near.min { $0.edits < $1.edits }?.command
  }

  /// Returns the number of characters to insert, delete, replace or swap with their neighbour
  /// (the optimal string alignment distance).
  private static func edits(from word: String, to command: String) -> Int {
    let (word, command) = (Array(word.prefix(32)), Array(command))
    var rows = [Array(0...command.count)]
    for (row, letter) in word.enumerated() {
      var next = [row + 1]
      for (column, other) in command.enumerated() {
        var least = min(
          rows[row][column + 1] + 1, next[column] + 1, rows[row][column] + (letter == other ? 0 : 1)
        )
        if row > 0, column > 0, letter == command[column - 1], other == word[row - 1] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[word.count][command.count]
  }
}
