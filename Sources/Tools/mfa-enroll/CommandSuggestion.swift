import MFAEnrollMessages

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
