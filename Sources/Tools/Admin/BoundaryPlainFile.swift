import MFACPOSIX
import MFABase

/// Reads regular files at any path, such as files named on the command line.
///
/// MUST 1: opening never blocks, and only a regular file is read: a FIFO, a socket or a device at the
/// path does not stop a program of root. (`PlainFileTests`)
package enum PlainFile {
  /// Returns the contents, up to `longest` + 1 bytes so that the caller can detect a longer file. If
  /// an `owner` is named, only a file of that user is read.
  package static func read(
    _ path: String, longest: Int, owner: UInt32? = nil
  ) -> Result<[UInt8], SystemError> {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    // SAFETY: the string is lent for the call.
    let descriptor = unsafe cposix_openat(AT_FDCWD, path, flags, 0)
    guard descriptor >= 0 else { return failure(.open) }
    defer { _ = close(descriptor) }
    var status = stat()
    // SAFETY: the call writes `status`, which outlives it.
    guard unsafe fstat(descriptor, &status) == 0 else { return failure(.status) }
    let kind = Int32(bitPattern: status.st_mode) & S_IFMT
    // A masked unit of systemd is a link to /dev/null, which is the device 1:3.
    guard kind == S_IFREG || kind == S_IFCHR && status.st_rdev == 0x103 else {
      return .failure(.untrusted(.notARegularFile))
    }
    if let owner, status.st_uid != owner { return .failure(.untrusted(.wrongOwner)) }
    return contents(of: descriptor, longest: longest)
  }

  /// Returns what can be read from standard input, up to `longest` + 1 bytes.
  package static func standardInput(longest: Int) -> Result<[UInt8], SystemError> {
    contents(of: STDIN_FILENO, longest: longest)
  }

  private static func contents(
    of descriptor: Int32, longest: Int
  ) -> Result<[UInt8], SystemError> {
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    do throws(SystemError) {
      var span = bytes.mutableSpan
      let count = try readAll(into: &span, from: descriptor)
      return .success(Array(bytes.prefix(count)))
    } catch {
      return .failure(error)
    }
  }

  private static func failure(_ call: SystemError.Call) -> Result<[UInt8], SystemError> {
    .failure(SystemError(call, number: cposix_errno()))
  }
}

extension Directory {
  /// Atomically replaces a file by a draft with these contents. `prepare` sets the group and the permissions
  /// of the draft.
  package func replace(
    _ name: FileName, by draft: FileName, _ contents: [UInt8],
    prepare: (borrowing File) throws(SystemError) -> Void
  ) throws(SystemError) {
    do throws(SystemError) {
      // Remove a draft left behind by a killed process.
      do throws(SystemError) { try unlink(draft) } catch  where error.isNotFound {}
      let file = try create(draft)
      try file.write(contents)
      try prepare(file)
      try file.sync()
      try rename(draft, to: name)
      try sync()
    } catch {
      // Remove the draft; a failure to do so can be ignored.
      do throws(SystemError) { try unlink(draft) } catch {}
      throw error
    }
  }
}
