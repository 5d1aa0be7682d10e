import MFACPOSIX
import MFASystem

/// Reads files regardless of their owner, such as files named on the command line.
package enum PlainFile {
  /// Returns the contents, up to `longest` + 1 bytes so that the caller can detect a longer file.
  package static func read(_ path: String, longest: Int) -> Result<[UInt8], SystemError> {
    // SAFETY: the string is lent for the call.
    let descriptor = unsafe cposix_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
    guard descriptor >= 0 else { return .failure(SystemError(.open, number: cposix_errno())) }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    var count = 0
    while count < bytes.count {
      let start = count
      // SAFETY: the call writes at most the rest of the array.
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe MFACPOSIX.read(
          descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if got < 0 {
        let number = cposix_errno()
        guard number == EINTR else { return .failure(SystemError(.read, number: number)) }
        continue
      }
      if got == 0 { break }
      count += got
    }
    return .success(Array(bytes.prefix(count)))
  }
}
