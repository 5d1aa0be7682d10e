import Glibc
import MFABase
import MFACPOSIX
import MFAImport

/// The process's terminal, standard output, standard error and caller.
package enum Console {
  /// Whether the process runs as root.
  package static var isRoot: Bool { geteuid() == 0 }

  /// Whether standard input and standard error are terminals, so that a question can be asked.
  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Whether a program can be run at the terminal: all standard streams are terminals.
  package static var hasTerminal: Bool { canAsk && isatty(STDOUT_FILENO) == 1 }

  /// The number of columns of standard output, or nil if it is not a terminal.
  package static var columns: Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    // SAFETY: `size` is written by the call and outlives it.
    guard unsafe cposix_window_size(STDOUT_FILENO, &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The administrator's account name: the user who called sudo, or root.
  package static var actor: [UInt8] {
    // SAFETY: no other thread changes the environment; the string is copied immediately.
    guard let name = unsafe getenv("SUDO_USER") else { return Array("root".utf8) }
    // SAFETY: the name is NUL-terminated.
    let length = unsafe strnlen(name, 256)
    // SAFETY: the name has at least `length` bytes, which are copied.
    return unsafe Array(UnsafeRawBufferPointer(start: name, count: length))
  }

  /// The terminal of the process, such as `pts/3`; empty if it has none.
  package static var terminal: [UInt8] {
    for descriptor in [STDIN_FILENO, STDERR_FILENO] {
      var path = [CChar](repeating: 0, count: 64)
      // SAFETY: the call writes at most `path.count` bytes, including a NUL.
      guard unsafe ttyname_r(descriptor, &path, path.count) == 0 else { continue }
      let name = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return Array(name.dropFirst("/dev/".utf8.count))
    }
    return []
  }

  /// Writes text to standard output.
  package static func write(_ text: String) throws(AdminError) { try write(Array(text.utf8)) }

  /// Writes bytes to standard output.
  package static func write(_ bytes: [UInt8]) throws(AdminError) { try write(bytes.span) }

  /// Writes a secret to standard output without copying it.
  package static func write(secret: borrowing SecretBytes) throws(AdminError) {
    try write(secret.span)
  }

  private static func write(_ bytes: Span<UInt8>) throws(AdminError) {
    do throws(SystemError) { try writeAll(bytes, to: STDOUT_FILENO) } catch { throw .output(error) }
  }

  /// Prints an error and its hint to standard error.
  package static func report(_ error: AdminError) {
    printError((error.isError ? "error: " : "") + error.message)
    printError("hint: " + error.hint)
  }

  /// Prints a line to standard error.
  package static func printError(_ line: String) {
    // If standard error cannot be written to, there is no other place to report that.
    do throws(SystemError) { try write("mfa-admin: \(line)\n", to: STDERR_FILENO) } catch {}
  }

  /// The progress display: on standard error if that is a terminal, and otherwise silent.
  package static var progress: Progress {
    guard isatty(STDERR_FILENO) == 1 else { return .silent }
    return Progress(
      seconds: { do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil } },
      show: { text in
        do throws(SystemError) { try write(text, to: STDERR_FILENO) } catch {}
      })
  }

  /// Asks for confirmation at the terminal, and returns whether the answer is yes.
  package static func askForConfirmation(_ question: String) -> Bool {
    ["y", "yes"].contains(ask(question + " [y/N]") ?? "")
  }

  /// Asks a question at the terminal, and returns the answer in lower case, or nil at the end of input.
  package static func ask(_ question: String) -> String? {
    do throws(SystemError) { try write(question + " ", to: STDERR_FILENO) } catch { return nil }
    return readLine()?.lowercased()
  }

  /// Ends the process with this exit status.
  package static func end(_ status: AdminStatus) -> Never { exit(status.rawValue) }

  private static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
    try writeAll(Array(text.utf8).span, to: descriptor)
  }
}

/// Terminal column widths of characters, from the C library.
enum CharacterWidth {
  /// Whether the C library interprets characters as Unicode. mfa-admin writes UTF-8 in every
  /// locale. Without the locale C.UTF-8, every character counts as one column.
  private static let isUnicode: Bool = {
    // SAFETY: the literal is NUL-terminated. The call only changes the interpretation of
    // characters, and this initialiser makes the call once.
    unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil
  }()

  /// Returns the number of columns of a character. A character that is not printable or not
  /// assigned counts as one.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    guard isUnicode else { return 1 }
    let columns = cposix_columns(wchar_t(scalar.value))
    return columns < 0 ? 1 : Int(columns)
  }
}

extension LocalTime {
  /// The moments at which local clocks showed this time, in seconds since the epoch. The array is
  /// empty in the hour that is skipped when clocks go forward, and has two elements in the hour
  /// that is repeated when clocks go back.
  var moments: [Int64] {
    var moments: [Int64] = []
    for summerTime in [0, 1] as [Int32] {
      // POSIX time has no leap seconds.
      // SAFETY: numbers and a null pointer. The call reads and writes `time`, which outlives it.
      var time = unsafe tm(
        tm_sec: Int32(min(second, 59)), tm_min: Int32(minute), tm_hour: Int32(hour),
        tm_mday: Int32(day), tm_mon: Int32(month - 1), tm_year: Int32(year - 1900), tm_wday: 0,
        tm_yday: 0, tm_isdst: summerTime, tm_gmtoff: 0, tm_zone: nil)
      // SAFETY: as above.
      let moment = unsafe Int64(mktime(&time))
      // If there is no such time, the call adjusts the fields.
      // SAFETY: as above.
      let isSame =
        unsafe time.tm_hour == Int32(hour) && time.tm_min == Int32(minute)
        && time.tm_mday == Int32(day)
      if isSame, !moments.contains(moment) { moments.append(moment) }
    }
    return moments
  }
}
