import FoundationEssentials
import Glibc
import MFABase

/// The host's printing program, which reads what it prints from a pipe.
///
/// MUST 1: what is printed is in no file of this program. (`PrinterTests.printed`)
struct Printer: Sendable {
  /// The programs to print with, in the order in which they are tried.
  static let programs = ["/usr/bin/lpr", "/usr/bin/lp"]

  /// How long the program may take, in seconds.
  private static let patience: Int32 = 60

  /// The program.
  let path: String

  /// Finds a program. Returns nil if the host has none.
  init?(among programs: [String] = Self.programs) {
    let files = FileManager.default
    guard let path = programs.first(where: { files.isExecutableFile(atPath: $0) }) else {
      return nil
    }
    self.path = path
  }

  /// Prints a short text on the user's default printer. Returns whether the program accepted it.
  func print(_ text: borrowing SecretBytes) -> Bool {
    do throws(SystemError) {
      let pipe = try PipeEnds()
      // The text fits into the pipe. It is written before the program starts, so that a program
      // that does not read it neither blocks this process nor ends it (SIGPIPE).
      Output(descriptor: pipe.writeEnd).write(text)
      let input = pipe.takeReadEnd()
      defer { close(input) }
      var start = ProgramStart(Array(path.utf8), arguments: [Array(path.utf8)])
      start.environment = ProcessInfo.processInfo.environment.map { Array("\($0)=\($1)".utf8) }
      start.input = input
      start.output = STDERR_FILENO
      start.errors = STDERR_FILENO
      return try ProgramEnd.wait(for: start.start(), seconds: Self.patience) == .exited(0)
    } catch {
      return false
    }
  }
}
