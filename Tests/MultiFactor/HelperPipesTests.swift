import Foundation
import Glibc
import Testing

@testable import MultiFactor

/// Real processes in place of the helper.
@Suite struct HelperPipesTests {
  static func client(_ path: String) -> MultiFactor {
    MultiFactor { () throws(MultiFactorError) in try HelperPipes(starting: path) }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let path: String
    let error: MultiFactorError
    var testDescription: String { "\(number): \(path)" }
  }

  static let rows: [Row] = [
    Row(number: 1, path: "/nonexistent/mfa-helper", error: .helperUnavailable(errorNumber: ENOENT)),
    Row(number: 2, path: "/etc/passwd", error: .helperUnavailable(errorNumber: EACCES)),
    Row(number: 3, path: "/bin/true", error: .helperEnded),
    // A program that echoes requests, which are not responses.
    Row(number: 4, path: "/bin/cat", error: .protocolError),
  ]

  @Test("a program that is not a helper is reported", arguments: rows)
  func noHelper(row: Row) async throws {
    let multiFactor = Self.client(row.path)
    await #expect(throws: row.error) { try await multiFactor.enrolledFactors }
  }

  @Test("a helper that has ended does not kill the client with SIGPIPE")
  func brokenPipe() throws {
    let responses = Pipe()
    let requests = Pipe()
    let pipes = HelperPipes(
      responses: dup(responses.fileHandleForReading.fileDescriptor),
      requests: dup(requests.fileHandleForWriting.fileDescriptor))
    try requests.fileHandleForReading.close()
    try responses.fileHandleForWriting.write(contentsOf: [0, 0, 0, 1, 0x88])
    try responses.fileHandleForWriting.close()
    // Its earlier response can still be read, followed by the end.
    try pipes.send(Samples.secret("x"))
    guard case .done = try pipes.receive(tell: { _ in }) else {
      Issue.record("unexpected response")
      return
    }
    try pipes.send(Samples.secret("x"))
    do throws(ConversationError) {
      _ = try pipes.receive(tell: { _ in })
      Issue.record("unexpected end")
    } catch {
      guard case .broken(.helperEnded) = error else {
        Issue.record(error)
        return
      }
    }
  }

  @Test("the helper inherits only its pipes")
  func inheritsNothing() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("helper-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let program = folder.appendingPathComponent("helper")
    try """
    #!/bin/sh
    exec 9>"$0.seen"
    /usr/bin/env >&9
    for number in /proc/self/fd/*; do echo "descriptor ${number##*/}" >&9; done
    /bin/grep -E '^Sig(Blk|Ign)' /proc/self/status >&9
    """.write(to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: program.path)
    // A descriptor that a program leaves open for its children by mistake.
    let leak = fcntl(0, F_DUPFD, 200)
    defer { close(leak) }

    let multiFactor = Self.client(program.path)
    await #expect(throws: MultiFactorError.helperEnded) { try await multiFactor.enrolledFactors }

    let seen = try String(
      contentsOf: folder.appendingPathComponent("helper.seen"), encoding: .utf8)
    let lines = seen.split(separator: "\n")
    #expect(lines.contains("descriptor 0"))
    #expect(lines.contains("descriptor 1"))
    #expect(!lines.contains("descriptor \(leak)"))
    #expect(!lines.contains { $0.hasPrefix("HOME=") || $0.hasPrefix("PATH=/root") })
    #expect(lines.contains { $0.hasPrefix("SigBlk:") && $0.hasSuffix("\t0000000000000000") })
    // The C library reserves signals 32 and 33, and programs that it starts ignore them.
    let ignored = try #require(lines.first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last)
    #expect(try #require(UInt64(ignored, radix: 16)) & ~0x1_8000_0000 == 0)
  }
}
