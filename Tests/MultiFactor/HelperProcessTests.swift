import Foundation
import Glibc
import MFABase
import MFACTestSupport
import MFAWire
import Synchronization
import Testing

@testable import MultiFactor

/// Real processes in place of the helper.
@Suite struct HelperPipesTests {
  static func client(_ path: String) -> MultiFactor {
    MultiFactor { () throws(MultiFactorError) in try HelperPipes(starting: path) }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let path: String
    let error: MultiFactorError
    var testDescription: String { "\(path)" }
  }

  static let rows: [Row] = [
    Row(path: "/nonexistent/mfa-helper", error: .helperUnavailable(errorNumber: ENOENT)),
    Row(path: "/etc/passwd", error: .helperUnavailable(errorNumber: EACCES)),
    Row(path: "/bin/true", error: .helperEnded),
    // A program that echoes requests, which are not responses.
    Row(path: "/bin/cat", error: .protocolError),
  ]

  @Test("a program that is not a helper is reported", arguments: rows)
  func noHelper(row: Row) async throws {
    let multiFactor = Self.client(row.path)
    await #expect(throws: row.error) { try await multiFactor.enrolledFactors }
  }

  /// Ctrl-C at the terminal is a signal for each program of its foreground.
  @Test("a signal from the terminal does not reach the helper")
  func session() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let program = folder.appendingPathComponent("helper").path
    try "#!/bin/sh\nps -o pgid=,sid= -p $$ > \(folder.path)/session\n".write(
      toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    await #expect(throws: MultiFactorError.helperEnded) {
      try await Self.client(program).enrolledFactors
    }
    let session = try String(contentsOfFile: folder.path + "/session", encoding: .utf8)
    let numbers = session.split { $0.isWhitespace }.compactMap { pid_t($0) }
    // The helper keeps its terminal, which the audit log names.
    #expect(numbers.count == 2 && numbers[0] != getpgrp() && numbers[1] == getsid(0))
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
    do throws(MultiFactorError) {
      _ = try pipes.receive(tell: { _ in })
      Issue.record("unexpected end")
    } catch {
      #expect(error == .helperEnded)
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
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
    // A descriptor that a program leaves open for its children by mistake.
    let leak = fcntl(0, F_DUPFD, 200)
    defer { close(leak) }

    let multiFactor = Self.client(program.path)
    await #expect(throws: MultiFactorError.helperEnded) { try await multiFactor.enrolledFactors }

    let seen = try String(contentsOf: folder.appendingPathComponent("helper.seen"), encoding: .utf8)
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

@Suite struct HelperReplacementTests {
  /// Opens scripted helpers in turn.
  private final class Helpers: Sendable {
    private let helpers: [ScriptedHelper]
    private let next = Mutex(0)

    init(_ scripts: [[ScriptedHelper.Line]]) { helpers = scripts.map { ScriptedHelper($0) } }

    @Sendable func open() throws(MultiFactorError) -> HelperPipes {
      let number = next.withLock { next in
        next += 1
        return next - 1
      }
      guard number < helpers.count else { throw .helperEnded }
      return try helpers[number].open()
    }

    var first: ScriptedHelper { helpers[0] }

    func problems() async -> [String] {
      var problems: [String] = []
      for helper in helpers { problems += await helper.finished() }
      return problems
    }
  }

  @Test("a helper that has ended because it was idle is replaced")
  func idleHelper() async throws {
    let helpers = Helpers([
      Samples.welcome + [.expect("list"), .send { .factors([]) }, .hangUp],
      Samples.welcome + [.expect("list"), .send { .factors([]) }, .expect("bye"), .expectEnd],
    ])
    let multiFactor = MultiFactor(open: helpers.open)
    #expect(try await multiFactor.enrolledFactors.isEmpty)
    // The end of the pipe follows the response.
    #expect(await helpers.first.finished() == [])
    #expect(try await multiFactor.enrolledFactors.isEmpty)
    await multiFactor.close()
    #expect(await helpers.problems() == [])
  }
}

/// Each test has a process of its own, which a SIGPIPE ends.
@Suite("SIGPIPE, when a helper has ended") struct BrokenPipeSignalTests {
  @Test("a SIGPIPE of a write to the helper is discarded")
  func ownSignalIsDiscarded() async {
    await #expect(processExitsWith: .success) {
      let block = BrokenPipeSignalBlock()
      raise(SIGPIPE)
      block.discardPendingSignal()
    }
  }

  @Test("a SIGPIPE that was pending before stays pending for the program")
  func earlierSignalStays() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      #expect(ctest_block_broken_pipe(1) == 0)
      raise(SIGPIPE)
      do {
        let block = BrokenPipeSignalBlock()
        block.discardPendingSignal()
      }
      _ = ctest_block_broken_pipe(0)
    }
  }
}

@Suite struct WorkerThreadTests {
  /// The numbers of the jobs that have run.
  private final class Record: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
  }

  @Test("jobs run in the order in which they were added, one at a time")
  func order() async {
    let worker = WorkerThread()
    let record = Record()
    for number in 0..<1000 { worker.add { record.add(number) } }
    await withCheckedContinuation { done in worker.add { done.resume() } }
    #expect(record.all == Array(0..<1000))
  }

  @Test("a job can add another, and a worker without jobs starts again")
  func again() async {
    let worker = WorkerThread()
    let record = Record()
    for number in 0..<100 {
      await withCheckedContinuation { done in
        worker.add {
          record.add(number)
          worker.add { done.resume() }
        }
      }
    }
    #expect(record.all == Array(0..<100))
  }

  @Test("no job is lost when many threads add jobs")
  func manyThreads() async {
    let worker = WorkerThread()
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          await withCheckedContinuation { done in
            worker.add {
              record.add(number)
              done.resume()
            }
          }
        }
      }
    }
    #expect(record.all.sorted() == Array(0..<200))
  }
}
