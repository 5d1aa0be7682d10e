import MFACPOSIX

/// An open file. Destroying the value closes it.
///
/// MUST 1: no write begins that RLIMIT_FSIZE would cut short: the limit of the user who started the
/// application neither ends the application nor leaves half a record. (`FileSizeLimitTests`)
///
/// Public, because Embedded Swift 6.3 does not see the `deinit` of a `package` type of another target.
public struct File: ~Copyable {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Returns the first `count` bytes of a file of the kernel, such as one in /proc, or nil if it
  /// cannot be read.
  static func contents(at path: [UInt8], atMost count: Int) -> [UInt8]? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW
    // SAFETY: the path ends with a NUL and outlives the call.
    let descriptor = unsafe cposix_openat(AT_FDCWD, cString(path), flags, 0)
    guard descriptor >= 0 else { return nil }
    do throws(SystemError) {
      return try File(descriptor: descriptor).read(count: count)
    } catch {
      return nil
    }
  }

  /// Returns the status of the file.
  package func status() throws(SystemError) -> FileStatus { FileStatus(try examine()) }

  /// Returns the identity of the file.
  package func identity() throws(SystemError) -> FileIdentity { FileIdentity(try examine()) }

  private func examine() throws(SystemError) -> stat {
    var status = stat()
    // SAFETY: the call writes `status`, which outlives it.
    _ = try retrying(.status) { unsafe fstat(descriptor, &status) }
    return status
  }

  /// Reads `count` bytes from `offset`, or fewer at the end of the file.
  package func read(count: Int, at offset: Int64 = 0) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    var span = bytes.mutableSpan
    let filled = try fill(&span, at: offset)
    return filled == bytes.count ? bytes : bytes.span.part(from: 0, count: filled).copied()
  }

  /// Fills `bytes` from `offset`. Returns whether the file has that many bytes.
  package func read(
    into bytes: inout MutableSpan<UInt8>, at offset: Int64 = 0
  ) throws(SystemError) -> Bool {
    try fill(&bytes, at: offset) == bytes.count
  }

  /// Fills `bytes` from `offset` to the end of the file at most. Returns the number of bytes read.
  private func fill(_ bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(SystemError) -> Int
  {
    // No sum overflows: `filled` is at most `bytes.count`, and no file is longer than an `off_t`.
    var filled = 0
    while filled < bytes.count {
      let already = filled
      let descriptor = descriptor
      let read = try retrying(.read) {
        // SAFETY: the call writes at most the rest of the span.
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
          unsafe pread(
            descriptor, buffer.baseAddress.map { unsafe $0 + already }, buffer.count &- already,
            Int(offset) &+ already)
        }
      }
      guard read > 0 else { break }
      filled &+= read
    }
    return filled
  }

  /// Writes all of `bytes` at `offset`, or nothing if RLIMIT_FSIZE allows only a part (EFBIG).
  package func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(SystemError) {
    try write(bytes.span, at: offset)
  }

  /// Writes as the other function does, without copying the bytes.
  package func write(_ bytes: Span<UInt8>, at offset: Int64 = 0) throws(SystemError) {
    let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
    guard !overflow, Self.mayGrow(to: end) else { throw SystemError(.write, number: EFBIG) }
    var written = 0
    while written < bytes.count {
      let already = written
      let descriptor = descriptor
      let count = try retrying(.write) {
        // SAFETY: the call reads at most the rest of the span.
        unsafe bytes.withUnsafeBufferPointer { buffer in
          unsafe pwrite(
            descriptor, buffer.baseAddress.map { unsafe $0 + already }, buffer.count &- already,
            Int(offset) &+ already)
        }
      }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      written &+= count
    }
  }

  /// Returns whether a file may grow to `end` bytes under RLIMIT_FSIZE. A write across the limit is
  /// truncated, and a write that begins at the limit ends the process with SIGXFSZ.
  private static func mayGrow(to end: Int64) -> Bool {
    var limit = rlimit()
    // SAFETY: the call writes `limit`, which outlives it.
    guard unsafe getrlimit(ResourceLimit.fileSize.rawValue, &limit) == 0 else { return false }
    return end <= limit.rlim_cur
  }

  /// Truncates the file to `length` bytes, or extends it with zeros.
  package func setLength(_ length: Int64) throws(SystemError) {
    _ = try retrying(.write) { ftruncate(descriptor, Int(length)) }
  }

  /// Allocates blocks for `count` bytes from `offset`, so that a later write there needs no space.
  /// Does not change the length of the file.
  package func allocate(_ count: Int64, at offset: Int64) throws(SystemError) {
    _ = try retrying(.write) { cposix_allocate(descriptor, offset, count) }
  }

  /// Waits until the file's data, and its length if that changed, are on disk.
  package func syncData() throws(SystemError) {
    _ = try retrying(.sync) { fdatasync(descriptor) }
  }

  /// Waits until the file's data and all its metadata are on disk.
  package func sync() throws(SystemError) {
    _ = try retrying(.sync) { fsync(descriptor) }
  }

  /// Changes the file's owner. Only root may do that.
  package func changeOwner(to owner: UInt32) throws(SystemError) {
    _ = try retrying(.changeOwner) { fchown(descriptor, owner, gid_t.max) }
  }

  /// Changes the file's group. Only root may choose an arbitrary group.
  package func changeGroup(to group: UInt32) throws(SystemError) {
    _ = try retrying(.changeOwner) { fchown(descriptor, uid_t.max, group) }
  }

  /// Sets the permissions, regardless of the umask.
  package func changeMode(to permissions: UInt32) throws(SystemError) {
    _ = try retrying(.changeMode) { fchmod(descriptor, permissions) }
  }

  /// Takes the file's exclusive lock, or gives up after `seconds`. With 0, tries once.
  ///
  /// The lock is released when the file is closed. The function tries every millisecond instead of
  /// blocking: only a signal could end a blocking call, and signals belong to the host application.
  ///
  /// - Returns: whether the lock was taken.
  package func lock(seconds: Int64) throws(SystemError) -> Bool {
    // One attempt and its pause take a little over a millisecond, so 900 of them take about a
    // second.
    var triesLeft = seconds &* 900
    while true {
      do throws(SystemError) {
        _ = try retrying(.lock) { flock(descriptor, LOCK_EX | LOCK_NB) }
        return true
      } catch {
        guard error.number == EWOULDBLOCK else { throw error }
      }
      guard triesLeft > 0 else { return false }
      triesLeft &-= 1
      Clock.pause(milliseconds: 1)
    }
  }

  /// Locks one byte until the file is closed. The byte may be past the end of the file. Returns
  /// false if another open file description has it locked.
  package func lockByte(at offset: Int64) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try retrying(.lock) { cposix_lock_byte(descriptor, offset) }
      return true
    } catch {
      guard error.number == EAGAIN || error.number == EACCES else { throw error }
      return false
    }
  }
}
