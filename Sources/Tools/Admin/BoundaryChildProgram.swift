import MFACPOSIX
import MFABase

/// A program of the host to run, without standard input and without this process's environment.
/// mfa-admin starts every program here except the helper. No shell reads the arguments.
package struct ChildProgram {
  /// The environment of every program.
  private static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]

  /// The path of the program, and its arguments.
  package let arguments: [String]
  /// The time after which the program is killed, in seconds.
  package var seconds: Int64
  /// The maximum number of bytes read from each output stream.
  package var longest: Int

  /// Describes a program: its path, and its arguments.
  package init(arguments: [String], seconds: Int64 = 10, longest: Int = 1 << 20) {
    self.arguments = arguments
    self.seconds = seconds
    self.longest = longest
  }

  /// Runs the program until it ends, and returns its output. Kills the program if it runs or prints
  /// for too long.
  package func run() throws(AdminError) -> ProgramOutput {
    guard let output = try runIfItEnds() else {
      throw failure("it did not end within \(seconds) s")
    }
    return output
  }

  /// Runs the program as `run` does. Returns nil if it runs for too long; it is then killed, and not waited for if
  /// the kernel does not end it.
  package func runIfItEnds() throws(AdminError) -> ProgramOutput? {
    let output = try system(try PipeEnds())
    let errors = try system(try PipeEnds())
    var start = start
    start.output = output.writeEnd
    start.errors = errors.writeEnd
    let program = start
    let process = try system(try program.start())
    // While this process holds a writing end, reading never reaches the end of the pipe.
    let streams = [output.takeReadEnd(), errors.takeReadEnd()]
    defer { for stream in streams { close(stream) } }
    var reader = Reader(of: self, streams: streams, process: process)
    do throws(AdminError) {
      guard try reader.readToTheEnd() else {
        end(process)
        return nil
      }
    } catch {
      end(process)
      throw error
    }
    return ProgramOutput(
      status: try status(of: process), output: reader.texts[0], errors: reader.texts[1])
  }

  /// Starts the program in a new session without a terminal. Its output is discarded, and it
  /// continues after this process ends.
  package func startDetached() throws(SystemError) {
    var start = start
    start.isInNewSession = true
    _ = try start.start()
  }

  /// Kills a program, and waits a second for its end.
  private func end(_ process: Int32) {
    _ = kill(process, SIGKILL)
    var reference = pollfd(fd: cposix_open_process(process), events: Int16(POLLIN), revents: 0)
    guard reference.fd >= 0 else { return }
    defer { close(reference.fd) }
    // SAFETY: the call reads and writes the value, which outlives the call.
    guard unsafe poll(&reference, 1, 1000) == 1 else { return }
    do throws(SystemError) { _ = try ProgramEnd.wait(for: process) } catch {}
  }

  private var start: ProgramStart {
    let arguments = arguments.map { Array($0.utf8) }
    var start = ProgramStart(arguments.first ?? [], arguments: arguments)
    start.environment = Self.environment.map { Array($0.utf8) }
    return start
  }

  /// Waits for a program to end. Returns its exit status, or nil if a signal ended it.
  private func status(of process: Int32) throws(AdminError) -> Int32? {
    switch try system(try ProgramEnd.wait(for: process)) {
    case .exited(let status): status
    case .killed: nil
    }
  }

  fileprivate func system<Value: ~Copyable>(
    _ body: @autoclosure () throws(SystemError) -> Value
  ) throws(AdminError) -> Value {
    do throws(SystemError) { return try body() } catch { throw failure(error.text) }
  }

  /// Returns the reason why the program has no output.
  fileprivate func failure(_ reason: String) -> AdminError {
    AdminError(at: arguments.first ?? "", reason)
  }

  /// Reads the output streams of a program until all their writing ends are closed and the program
  /// has ended.
  private struct Reader {
    /// The reading ends of the streams, then a descriptor that refers to the process.
    private var open: [pollfd]
    private(set) var texts: [[UInt8]]
    private let program: ChildProgram

    init(of program: ChildProgram, streams: [Int32], process: pid_t) {
      self.program = program
      // Without such a descriptor (-1), poll() ignores the entry.
      open = (streams + [cposix_open_process(process)]).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      texts = streams.map { _ in [] }
    }

    /// Returns whether the program ended in time.
    mutating func readToTheEnd() throws(AdminError) -> Bool {
      let end = open[texts.count].fd
      defer { if end >= 0 { close(end) } }
      let deadline = try clock() + program.seconds
      while open.contains(where: { $0.fd >= 0 }) {
        let left = deadline - (try clock())
        guard left > 0 else { return false }
        // SAFETY: the call reads and writes the array, which outlives the call.
        let ready = unsafe poll(&open, nfds_t(open.count), Int32(left) * 1000)
        guard ready >= 0 || cposix_errno() == EINTR else {
          throw program.failure(SystemError(.poll, number: cposix_errno()).text)
        }
        guard ready > 0 else { continue }
        for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
          let isAtEnd = index == texts.count ? true : try readOnce(index)
          if isAtEnd { open[index].fd = -1 }
        }
      }
      return true
    }

    /// Reads once from a stream. Returns whether the stream is at its end.
    private mutating func readOnce(_ index: Int) throws(AdminError) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let descriptor = open[index].fd
      // SAFETY: the call writes at most as many bytes as the array has.
      let count = unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
      }
      guard count >= 0 else {
        guard cposix_errno() == EINTR else {
          throw program.failure(SystemError(.read, number: cposix_errno()).text)
        }
        return false
      }
      texts[index] += buffer.prefix(count)
      guard texts[index].count <= program.longest else {
        throw program.failure("it printed more than \(program.longest) bytes")
      }
      return count == 0
    }

    private func clock() throws(AdminError) -> Int64 {
      try program.system(try Clock.sinceBoot())
    }
  }
}
