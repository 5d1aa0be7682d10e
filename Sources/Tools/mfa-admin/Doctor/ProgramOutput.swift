import MFASystem

/// The output and exit status of a program.
struct ProgramOutput: Equatable {
  /// The reason why a program has no output.
  enum Failure: Error, Equatable {
    case system(SystemError)
    /// A user other than root could have changed the program.
    case untrusted(TrustFailure)
    /// The program did not end within `seconds`.
    case late
    /// The program printed more than `longest` bytes.
    case tooMuch

    /// The reason in words.
    var text: String {
      switch self {
      case .system(let error): error.text
      case .untrusted(let distrust): "the program is not trusted: \(distrust.name)"
      case .late: "it did not end within \(ProgramOutput.seconds) s"
      case .tooMuch: "it printed more than \(ProgramOutput.longest) bytes"
      }
    }
  }

  /// The time limit for a program, in seconds.
  static let seconds: Int64 = 10

  /// The maximum number of bytes read from each output stream.
  static let longest = 1 << 20

  /// The exit status, or nil if a signal ended the program.
  var status: Int32?
  /// The contents of standard output.
  var output: [UInt8]
  /// The contents of standard error.
  var errors: [UInt8] = []

  /// The last line of standard error, escaped for display.
  var complaint: String {
    let line = errors.split(separator: UInt8(ascii: "\n")).last ?? []
    let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return end.isEmpty ? "it failed" : VisibleText.escaping(Array(end))
  }
}
