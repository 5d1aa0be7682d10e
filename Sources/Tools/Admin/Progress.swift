import MFABase

/// A progress line for a long operation. The line appears when the clock reaches the next second,
/// and is then overwritten at most once a second.
package struct Progress {
  /// Returns the time of a monotonic clock in seconds, or nil if unknown.
  private let seconds: () -> Int64?
  /// Shows a text without a line feed; nil if nothing is to be shown.
  private let show: ((String) -> Void)?
  private let start: Int64?
  private var last: Int64?

  /// The number of steps between two readings of the clock.
  private static let stride = 512

  /// Creates a progress line whose time starts now.
  init(seconds: @escaping () -> Int64?, show: ((String) -> Void)?) {
    self.seconds = seconds
    self.show = show
    start = show == nil ? nil : seconds()
    last = start
  }

  /// A progress line that is never shown.
  package static var silent: Progress { Progress(seconds: { nil }, show: nil) }

  /// Reports that `count` of `total` steps are done.
  package mutating func step(_ count: Int, of total: Int) {
    guard count.isMultiple(of: Self.stride), let show, let last, let now = seconds(), now > last
    else { return }
    self.last = now
    // The escape sequence clears the rest of the line.
    show("\r\(count) of \(total)\u{1B}[K")
  }

  /// Removes the line.
  package func finish() {
    guard let show, last != start else { return }
    show("\r\u{1B}[K")
  }
}

/// The output and exit status of a program.
package struct ProgramOutput: Equatable {
  /// The exit status, or nil if a signal ended the program.
  package var status: Int32?
  /// The contents of standard output.
  package var output: [UInt8]
  /// The contents of standard error.
  package var errors: [UInt8] = []

  /// Whether the program ended with exit status 0.
  package var isSuccess: Bool { status == 0 }

  /// Returns the first line of standard error that contains a text, escaped for display, or else
  /// `complaint`. Some programs name a place first, and sum up at the end.
  package func complaint(containing text: String) -> String {
    for line in errors.split(separator: UInt8(ascii: "\n")) {
      let line = VisibleText.escaping(
        Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
      if line.contains(text) { return line }
    }
    return complaint
  }

  /// The last line of standard error, escaped for display, or else how the program ended.
  package var complaint: String {
    let line = errors.split(separator: UInt8(ascii: "\n")).last ?? []
    let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    guard end.isEmpty else { return VisibleText.escaping(Array(end)) }
    return status.map { "exit status \($0)" } ?? "a signal ended it"
  }
}
