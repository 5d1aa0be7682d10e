import System

/// What a program printed, and how it ended.
struct ProgramOutput: Equatable {
  /// Why there is none.
  enum Trouble: Error, Equatable {
    case system(SystemError)
    /// Somebody other than root could have written the program.
    case untrusted(Distrust)
    /// It did not end in time.
    case late
    /// It printed more than is read.
    case tooMuch

    /// In words.
    var text: String {
      switch self {
      case .system(let error): error.text
      case .untrusted(let distrust): "the program is not trusted: \(distrust.name)"
      case .late: "it did not end within \(ProgramOutput.seconds) s"
      case .tooMuch: "it printed more than \(ProgramOutput.longest) bytes"
      }
    }
  }

  /// How long a program may take, in seconds.
  static let seconds: Int64 = 10

  /// How much of what it prints is read, in bytes, of each stream.
  static let longest = 1 << 20

  /// Its exit status; nil where a signal ended it.
  var status: Int32?
  /// What it printed.
  var output: [UInt8]
  /// What it complained of.
  var errors: [UInt8] = []

  /// The last line of its complaints, as it may be shown.
  var complaint: String {
    let line = errors.split(separator: UInt8(ascii: "\n")).last ?? []
    let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return end.isEmpty ? "it failed" : VisibleText.escaping(Array(end))
  }
}
