import MFACPOSIX
import MFASystem

extension ProgramOutput {
  /// Runs the program at `path`. Returns nil if the program does not exist, and throws if a user
  /// other than root could have changed it.
  static func of(_ path: String, _ arguments: [String]) throws(Failure) -> ProgramOutput? {
    guard try isRoots(path) else { return nil }
    let output = try system { () throws(SystemError) in try ChildProgram.pipe() }
    let errors: (reading: Int32, writing: Int32)
    do throws(Failure) {
      errors = try system { () throws(SystemError) in try ChildProgram.pipe() }
    } catch {
      close(output.reading)
      close(output.writing)
      throw error
    }
    defer {
      close(output.reading)
      close(errors.reading)
    }
    let started = Result { () throws(Failure) in
      try system { () throws(SystemError) in
        try ChildProgram.start(
          [path] + arguments, output: output.writing, errors: errors.writing)
      }
    }
    // While this process holds a writing end, reading never reaches the end of the pipe.
    close(output.writing)
    close(errors.writing)
    let process = try started.get()
    var reader = Reader(descriptors: [output.reading, errors.reading])
    do throws(Failure) {
      try reader.readToTheEnd()
    } catch {
      _ = kill(process, SIGKILL)
      _ = ChildProgram.wait(for: process)
      throw error
    }
    return ProgramOutput(
      status: ChildProgram.wait(for: process), output: reader.texts[0], errors: reader.texts[1])
  }

  /// Returns whether the program exists. Throws if a user other than root owns it or can change it.
  private static func isRoots(_ path: String) throws(Failure) -> Bool {
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
    return try TrustedPath.translating { () throws(SystemError) in
      try directory.fileForReading(path.last).status()
    }
  }

  fileprivate static func system<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    do throws(SystemError) { return try body() } catch { throw .system(error) }
  }

  /// Reads several pipes until all their writing ends are closed.
  private struct Reader {
    let descriptors: [Int32]
    var texts: [[UInt8]]

    init(descriptors: [Int32]) {
      self.descriptors = descriptors
      texts = descriptors.map { _ in [] }
    }

    mutating func readToTheEnd() throws(Failure) {
      var open = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let deadline = try Self.clock() + ProgramOutput.seconds
      while open.contains(where: { $0.fd >= 0 }) {
        let left = deadline - (try Self.clock())
        guard left > 0 else { throw .late }
        // SAFETY: the call reads and writes the array, which outlives the call.
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

    /// Reads once from a pipe. Returns whether the pipe is at its end.
    private mutating func readOnce(_ index: Int) throws(Failure) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let descriptor = descriptors[index]
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
      guard texts[index].count <= ProgramOutput.longest else { throw .tooMuch }
      return count == 0
    }

    private static func clock() throws(Failure) -> Int64 {
      try ProgramOutput.system { () throws(SystemError) in try Clock.sinceBoot() }
    }
  }
}
