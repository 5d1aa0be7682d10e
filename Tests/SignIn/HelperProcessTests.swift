import MFASignIn
import Foundation
import MFAWire
import MFABase
import MFATestSupport
import Testing

/// Real processes in place of the helper.
@Suite("The helper's process")
struct HelperProcessTests {
  /// The result of a request.
  enum End: Equatable, Sendable {
    case done, something
    case trouble(HelperError)
  }

  private static func ask(_ path: String) -> End {
    do throws(HelperError) {
      let helper = try HelperProcess(path: Array(path.utf8))
      guard case .done = try helper.ask(.list) else { return .something }
      return .done
    } catch {
      return .trouble(error)
    }
  }

  @Test(
    "a program that is not a helper is reported",
    arguments: [
      (1, "/nonexistent/mfa-helper", HelperError.system(SystemError(.process, number: 2))),
      (2, "/etc/passwd", .system(SystemError(.process, number: 13))),
      (3, "/bin/true", .ended),
      // A program that echoes requests, which are not responses.
      (4, "/bin/cat", .malformed),
    ])
  func noHelper(number: Int, path: String, trouble: HelperError) {
    #expect(Self.ask(path) == .trouble(trouble), "row \(number)")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let title: String
    /// The output, in the syntax of `printf`.
    let said: String
    let end: End
    var testDescription: String { "\(number): \(title)" }
  }

  static let done = #"\0\0\0\1\210"#
  static let notice = #"\0\0\0\4\203\0\1x"#

  static let rows = [
    Row(number: 1, title: "an answer", said: done, end: .done),
    Row(number: 2, title: "notices before the answer", said: notice + notice + done, end: .done),
    Row(number: 3, title: "a notice alone", said: notice, end: .trouble(.ended)),
    Row(number: 4, title: "unexpected response", said: #"\0\0\0\1\212"#, end: .something),
    Row(number: 5, title: "an empty message", said: #"\0\0\0\0"#, end: .trouble(.malformed)),
    Row(
      number: 6, title: "a message that is too long", said: #"\0\0\20\1"#, end: .trouble(.malformed)
    ),
    Row(number: 7, title: "an unknown message", said: #"\0\0\0\1\377"#, end: .trouble(.malformed)),
    Row(number: 8, title: "half a message", said: #"\0\0\0\4\203"#, end: .trouble(.ended)),
    Row(number: 9, title: "half a header", said: #"\0\0"#, end: .trouble(.ended)),
  ]

  @Test("output written before the program ended is read, even if it never read a request")
  func saidAndEnded() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("helper-\(UUID().uuidString)").path
    let program = "#!/bin/sh\nexec <&-\nprintf '\(Self.done)'\nexec >&-\n: >\"$0.ended\"\n"
    try Command.succeed(
      ["/usr/bin/install", "-m", "0755", "/dev/stdin", path], input: Array(program.utf8))
    defer {
      for file in [path, path + ".ended"] {
        #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: file) }
      }
    }
    let helper = try HelperProcess(path: Array(path.utf8))
    #expect(Deadline.usual.waits { FileManager.default.fileExists(atPath: path + ".ended") })
    guard case .done = try helper.ask(.list) else {
      Issue.record("unexpected response")
      return
    }
    do throws(HelperError) {
      _ = try helper.ask(.list)
      Issue.record("unexpected end")
    } catch {
      #expect(error == .ended)
    }
  }

  @Test("output is read to its end, and notices are skipped", arguments: rows)
  func said(row: Row) throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("helper-\(UUID().uuidString)").path
    // Written by another process, because a file that is open for writing cannot be executed.
    try Command.succeed(
      ["/usr/bin/install", "-m", "0755", "/dev/stdin", path],
      input: Array("#!/bin/sh\nprintf '\(row.said)'\n".utf8))
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    #expect(Self.ask(path) == row.end, "\(row.testDescription)")
  }
}
