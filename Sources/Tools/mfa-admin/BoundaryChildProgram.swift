import MFACPOSIX
import MFASystem

/// A program of the host to run, without standard input and without this process's environment.
/// mfa-admin starts every program here. No shell reads the arguments.
struct ChildProgram {
  /// The environment of every program.
  private static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]

  /// The path of the program, and its arguments.
  let arguments: [String]
  /// The time after which the program is killed, in seconds.
  var seconds: Int64 = 10
  /// The maximum number of bytes read from each output stream.
  var longest = 1 << 20

  /// Runs the program until it ends, and returns its output. Kills the program if it runs or prints
  /// for too long.
  func run() throws(ProgramOutput.Failure) -> ProgramOutput {
    let output = try Self.system { () throws(SystemError) in try Self.pipe() }
    let errors: (reading: Int32, writing: Int32)
    do throws(ProgramOutput.Failure) {
      errors = try Self.system { () throws(SystemError) in try Self.pipe() }
    } catch {
      close(output.reading)
      close(output.writing)
      throw error
    }
    defer {
      close(output.reading)
      close(errors.reading)
    }
    let started = Result { () throws(ProgramOutput.Failure) in
      try Self.system { () throws(SystemError) in
        try start(output: output.writing, errors: errors.writing)
      }
    }
    // While this process holds a writing end, reading never reaches the end of the pipe.
    close(output.writing)
    close(errors.writing)
    let process = try started.get()
    var reader = Reader(
      streams: [output.reading, errors.reading], process: process, seconds: seconds,
      longest: longest)
    do throws(ProgramOutput.Failure) {
      try reader.readToTheEnd()
    } catch {
      _ = kill(process, SIGKILL)
      _ = Self.wait(for: process)
      throw error
    }
    return ProgramOutput(
      status: Self.wait(for: process), output: reader.texts[0], errors: reader.texts[1])
  }

  /// Starts the program in a new session without a terminal. Its output is discarded, and it
  /// continues after this process ends.
  func startDetached() throws(SystemError) {
    _ = try start(output: nil, errors: nil, isDetached: true)
  }

  /// Creates a pipe for the output of a program.
  private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    let made = unsafe ends.withUnsafeMutableBufferPointer { ends -> Int32 in
      guard let base = ends.baseAddress else { return -1 }
      return unsafe cposix_pipe(base, O_CLOEXEC)
    }
    guard made == 0 else { throw SystemError(.process, number: cposix_errno()) }
    return (ends[0], ends[1])
  }

  /// Starts the program.
  ///
  /// Its output goes to the descriptors `output` and `errors`, or to /dev/null if nil. With
  /// `isDetached`, it runs in a new session.
  private func start(
    output: Int32?, errors: Int32?, isDetached: Bool = false
  ) throws(SystemError) -> pid_t {
    // SAFETY: both are initialised before use, and destroyed when the function returns.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    // SAFETY: the call initialises the object, which does not move until it is destroyed.
    guard unsafe posix_spawn_file_actions_init(&actions) == 0 else {
      throw SystemError(.process, number: ENOMEM)
    }
    // SAFETY: the object is initialised, and destroyed once.
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    // SAFETY: the call initialises the object, which does not move until it is destroyed.
    guard unsafe posix_spawnattr_init(&attributes) == 0 else {
      throw SystemError(.process, number: ENOMEM)
    }
    // SAFETY: the object is initialised, and destroyed once.
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    var result: Int32 = 0
    for (number, target) in [(0, nil), (1, output), (2, errors)] as [(Int32, Int32?)]
    where result == 0 {
      // SAFETY: the literal is copied by the call.
      result =
        if let target {
          // SAFETY: the object is initialised.
          unsafe posix_spawn_file_actions_adddup2(&actions, target, number)
        } else {
          // SAFETY: the object is initialised, and the call copies the literal.
          unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
    }
    if isDetached, result == 0 {
      // SAFETY: `attributes` was initialised above. The flag is POSIX_SPAWN_SETSID.
      result = unsafe posix_spawnattr_setflags(&attributes, 0x80)
    }
    guard result == 0 else { throw SystemError(.process, number: result) }
    var process: pid_t = 0
    // SAFETY: the strings live until both closures return; the vectors end with a null pointer.
    result = unsafe Self.withVector(arguments) { arguments in
      unsafe Self.withVector(Self.environment) { environment in
        guard let path = unsafe arguments[0] else { return EINVAL }
        return unsafe posix_spawn(&process, path, &actions, &attributes, arguments, environment)
      }
    }
    guard result == 0 else { throw SystemError(.process, number: result) }
    return process
  }

  /// Calls `body` with the strings as a null-terminated C argument vector.
  private static func withVector(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    // SAFETY: the copies are freed when `body` has returned.
    var vector = unsafe strings.map { unsafe strdup($0) }
    // SAFETY: each element comes from strdup or is null, and is not used afterwards.
    defer { unsafe vector.forEach { unsafe free($0) } }
    // SAFETY: this stores a null pointer.
    unsafe vector.append(nil)
    // SAFETY: the strings live until this function returns, and the vector until the closure
    // returns.
    return unsafe vector.withUnsafeMutableBufferPointer { vector in
      guard let base = vector.baseAddress else { return EINVAL }
      return unsafe body(base)
    }
  }

  /// Waits for a program to end. Returns its exit status, or nil if a signal ended it.
  private static func wait(for process: pid_t) -> Int32? {
    var status: Int32 = 0
    var ended: pid_t = -1
    repeat {
      // SAFETY: `status` is written by the call and outlives it.
      ended = unsafe waitpid(process, &status, 0)
    } while ended < 0 && cposix_errno() == EINTR
    // WIFEXITED and WEXITSTATUS.
    guard ended == process, status & 0x7F == 0 else { return nil }
    return (status >> 8) & 0xFF
  }

  fileprivate static func system<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(ProgramOutput.Failure) -> Value {
    do throws(SystemError) { return try body() } catch { throw .system(error) }
  }

  /// Reads the output streams of a program until all their writing ends are closed and the program
  /// has ended.
  private struct Reader {
    /// The reading ends of the streams, then a descriptor that refers to the process.
    private var open: [pollfd]
    private(set) var texts: [[UInt8]]
    private let seconds: Int64
    private let longest: Int

    init(streams: [Int32], process: pid_t, seconds: Int64, longest: Int) {
      // Without such a descriptor (-1), poll() ignores the entry.
      open = (streams + [cposix_open_process(process)]).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      texts = streams.map { _ in [] }
      self.seconds = seconds
      self.longest = longest
    }

    mutating func readToTheEnd() throws(ProgramOutput.Failure) {
      let end = open[texts.count].fd
      defer { if end >= 0 { close(end) } }
      let deadline = try Self.clock() + seconds
      while open.contains(where: { $0.fd >= 0 }) {
        let left = deadline - (try Self.clock())
        guard left > 0 else { throw .late(seconds: seconds) }
        // SAFETY: the call reads and writes the array, which outlives the call.
        let ready = unsafe poll(&open, nfds_t(open.count), Int32(left) * 1000)
        guard ready >= 0 || cposix_errno() == EINTR else {
          throw .system(SystemError(.poll, number: cposix_errno()))
        }
        guard ready > 0 else { continue }
        for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
          let isAtEnd = index == texts.count ? true : try readOnce(index)
          if isAtEnd { open[index].fd = -1 }
        }
      }
    }

    /// Reads once from a stream. Returns whether the stream is at its end.
    private mutating func readOnce(_ index: Int) throws(ProgramOutput.Failure) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let descriptor = open[index].fd
      // SAFETY: the call writes at most as many bytes as the array has.
      let count = unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
      }
      guard count >= 0 else {
        guard cposix_errno() == EINTR else {
          throw .system(SystemError(.read, number: cposix_errno()))
        }
        return false
      }
      texts[index] += buffer.prefix(count)
      guard texts[index].count <= longest else { throw .tooMuch(bytes: longest) }
      return count == 0
    }

    private static func clock() throws(ProgramOutput.Failure) -> Int64 {
      try ChildProgram.system { () throws(SystemError) in try Clock.sinceBoot() }
    }
  }
}
