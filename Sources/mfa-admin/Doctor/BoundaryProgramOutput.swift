import CPOSIX
import System

extension ProgramOutput {
  /// Runs the program at `path`, which root alone can have put there, without standard input and with
  /// nothing of this process's environment; nil where there is no such program.
  static func of(_ path: String, _ arguments: [String]) throws(Trouble) -> ProgramOutput? {
    guard try isRoots(path) else { return nil }
    let output = try pipe()
    let errors: (reading: Int32, writing: Int32)
    do throws(Trouble) {
      errors = try pipe()
    } catch {
      close(output.reading)
      close(output.writing)
      throw error
    }
    defer {
      close(output.reading)
      close(errors.reading)
    }
    let started = Result { () throws(Trouble) in
      try start(path, arguments, output: output.writing, errors: errors.writing)
    }
    // Else the pipes would have no end.
    close(output.writing)
    close(errors.writing)
    let process = try started.get()
    var reader = Reader(descriptors: [output.reading, errors.reading])
    do throws(Trouble) {
      try reader.readToTheEnd()
    } catch {
      _ = kill(process, SIGKILL)
      _ = wait(for: process)
      throw error
    }
    return ProgramOutput(
      status: wait(for: process), output: reader.texts[0], errors: reader.texts[1])
  }

  /// Whether there is a program that belongs to root and that nobody else can change.
  private static func isRoots(_ path: String) throws(Trouble) -> Bool {
    guard let trusted = TrustedPath(Array(path.utf8)) else { return false }
    let status: FileStatus
    do throws(TrustedPath.Refusal) {
      status = try Self.status(of: trusted)
    } catch {
      switch error {
      case .system(let error):
        guard error.isNotFound else { throw .system(error) }
        return false
      case .untrusted(let distrust): throw .untrusted(distrust)
      }
    }
    guard status.kind == .regular else { throw .untrusted(.notARegularFile) }
    guard status.owner == 0 else { throw .untrusted(.wrongOwner) }
    guard !status.isWritableByOthers else { throw .untrusted(.wrongPermissions) }
    return true
  }

  private static func status(of path: TrustedPath) throws(TrustedPath.Refusal) -> FileStatus {
    let directory = try path.parent()
    do throws(SystemError) {
      let file = try directory.fileForReading(path.last)
      return try file.status()
    } catch {
      throw error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error)
    }
  }

  private static func pipe() throws(Trouble) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    let made = unsafe ends.withUnsafeMutableBufferPointer { ends -> Int32 in
      guard let base = ends.baseAddress else { return -1 }
      return unsafe cposix_pipe(base, O_CLOEXEC)
    }
    guard made == 0 else { throw .system(SystemError(.process, number: cposix_errno())) }
    return (ends[0], ends[1])
  }

  private static func start(
    _ path: String, _ arguments: [String], output: Int32, errors: Int32
  ) throws(Trouble) -> pid_t {
    // SAFETY: opaque, set up by the call below.
    var actions = unsafe posix_spawn_file_actions_t()
    // SAFETY: it is destroyed at the end; a literal is NUL-terminated.
    guard unsafe posix_spawn_file_actions_init(&actions) == 0 else {
      throw .system(SystemError(.process, number: ENOMEM))
    }
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    // SAFETY: as above.
    let prepared = unsafe [
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0),
      posix_spawn_file_actions_adddup2(&actions, output, 1),
      posix_spawn_file_actions_adddup2(&actions, errors, 2),
    ]
    guard prepared.allSatisfy({ $0 == 0 }) else {
      throw .system(SystemError(.process, number: ENOMEM))
    }
    var process: pid_t = -1
    let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
    // SAFETY: as below.
    let number = unsafe Self.withCStrings([path] + arguments) { arguments in
      // SAFETY: as below.
      unsafe Self.withCStrings(environment) { environment in
        // SAFETY: both are NULL-terminated lists of NUL-terminated strings that live through the
        // call, and so is the path.
        unsafe posix_spawn(&process, path, &actions, nil, arguments, environment)
      }
    }
    guard number == 0 else { throw .system(SystemError(.process, number: number)) }
    return process
  }

  /// Lends strings as C takes a list of them.
  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    // SAFETY: each is freed below, after `body`; the list ends with a null pointer.
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    // SAFETY: as above.
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer -> Int32 in
      guard let base = buffer.baseAddress else { return EINVAL }
      return unsafe body(base)
    }
  }

  /// Its exit status, once it has ended; nil where a signal ended it.
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

  /// Reads several pipes until nobody writes to them any more.
  private struct Reader {
    let descriptors: [Int32]
    var texts: [[UInt8]]

    init(descriptors: [Int32]) {
      self.descriptors = descriptors
      texts = descriptors.map { _ in [] }
    }

    mutating func readToTheEnd() throws(Trouble) {
      var open = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let deadline = try Self.clock() + ProgramOutput.seconds
      while open.contains(where: { $0.fd >= 0 }) {
        let left = deadline - (try Self.clock())
        guard left > 0 else { throw .late }
        // SAFETY: the call reads and writes the array, which outlives it.
        let ready = unsafe poll(&open, nfds_t(open.count), Int32(left) * 1000)
        guard ready >= 0 || cposix_errno() == EINTR else {
          throw .system(SystemError(.poll, number: cposix_errno()))
        }
        guard ready > 0 else { continue }
        for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
          if try readOnce(index) { open[index].fd = -1 }
        }
      }
    }

    /// Whether it is at its end.
    private mutating func readOnce(_ index: Int) throws(Trouble) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let descriptor = descriptors[index]
      // SAFETY: the call writes at most the array.
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
      guard texts[index].count <= ProgramOutput.longest else { throw .tooMuch }
      return count == 0
    }

    private static func clock() throws(Trouble) -> Int64 {
      do throws(SystemError) { return try Clock.sinceBoot() } catch { throw .system(error) }
    }
  }
}
