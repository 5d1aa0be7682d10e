import CPOSIX

/// An open file. It is closed when the value ends.
///
/// MUST 1: no write that RLIMIT_FSIZE would cut begins: the limit of whoever started the application
/// neither ends the application nor leaves half an entry. (`FileSizeLimitTests`)
public struct File: ~Copyable {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// What was opened.
  public func status() throws(SystemError) -> FileStatus {
    var status = stat()
    // SAFETY: `status` is written by the call and outlives it.
    _ = try retrying(.status) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Reads at most `count` bytes from `offset` on; fewer at the end of the file.
  public func read(count: Int, at offset: Int64 = 0) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    var span = bytes.mutableSpan
    let filled = try fill(&span, at: offset)
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Fills `bytes` from the file's beginning, and tells whether the file had as many.
  public func read(into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Bool {
    try fill(&bytes, at: 0) == bytes.count
  }

  /// Fills `bytes` as far as the file has any from `offset` on; how far that is.
  private func fill(_ bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(SystemError) -> Int
  {
    var filled = 0
    while filled < bytes.count {
      let already = filled
      let descriptor = descriptor
      let read = try retrying(.read) {
        // SAFETY: the call writes at most the rest of the span.
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
          unsafe pread(
            descriptor, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already,
            Int(offset) + already)
        }
      }
      guard read > 0 else { break }
      filled += read
    }
    return filled
  }

  /// Writes all of `bytes` at `offset`; nothing where RLIMIT_FSIZE allows only a part (EFBIG).
  public func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(SystemError) {
    let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
    guard !overflow, cposix_may_grow_to(end) != 0 else { throw SystemError(.write, number: EFBIG) }
    var written = 0
    while written < bytes.count {
      let already = written
      let descriptor = descriptor
      let count = try retrying(.write) {
        // SAFETY: the call reads at most the rest of the array.
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe pwrite(
            descriptor, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already,
            Int(offset) + already)
        }
      }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      written += count
    }
  }

  /// Cuts the file off behind its first `length` bytes, or extends it with zeros.
  public func setLength(_ length: Int64) throws(SystemError) {
    _ = try retrying(.write) { ftruncate(descriptor, Int(length)) }
  }

  /// Waits until the file's data, and its length where that changed, are on the disk.
  public func syncData() throws(SystemError) {
    _ = try retrying(.sync) { fdatasync(descriptor) }
  }

  /// Waits until the file's data and everything about it are on the disk.
  public func sync() throws(SystemError) {
    _ = try retrying(.sync) { fsync(descriptor) }
  }

  /// Gives the file away. Only root may.
  public func changeOwner(to owner: UInt32) throws(SystemError) {
    _ = try retrying(.changeOwner) { fchown(descriptor, owner, gid_t.max) }
  }

  /// Gives the file to a group. Only root may give it to any.
  public func changeGroup(to group: UInt32) throws(SystemError) {
    _ = try retrying(.changeOwner) { fchown(descriptor, uid_t.max, group) }
  }

  /// Sets the permissions, whatever the umask says.
  public func changeMode(to permissions: UInt32) throws(SystemError) {
    _ = try retrying(.changeMode) { fchmod(descriptor, permissions) }
  }

  /// Takes the file's exclusive lock, or gives up after `seconds`; with 0, after one try.
  ///
  /// The lock ends with the file. It is asked for again every millisecond rather than waited for: a
  /// wait could be ended only by a signal, and signals are the host program's.
  ///
  /// - Returns: whether the lock was taken.
  public func lock(seconds: Int64) throws(SystemError) -> Bool {
    // A try and its pause take a little over a millisecond: 900 of them take about a second.
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

  /// Locks one byte, which the file need not have, for as long as the file is open. Returns whether no
  /// other open file has it locked.
  public func lockByte(at offset: Int64) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try retrying(.lock) { cposix_lock_byte(descriptor, offset) }
      return true
    } catch {
      guard error.number == EAGAIN || error.number == EACCES else { throw error }
      return false
    }
  }
}
