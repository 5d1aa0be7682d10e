import MFACPOSIX
import MFABase

/// Reads files, links and folders of /proc.
package enum ProcFile {
  /// Returns the contents of a file in /proc.
  package static func text(_ path: String) -> String? {
    switch PlainFile.read(path, longest: 65_536) {
    case .success(let bytes): String(decoding: bytes, as: UTF8.self)
    case .failure: nil
    }
  }

  /// Returns the target of a link in /proc.
  package static func target(_ link: String) -> String? {
    var target = [UInt8](repeating: 0, count: 4096)
    // SAFETY: the string is valid during the call, which writes at most as many bytes as the buffer
    // has.
    let length = unsafe target.withUnsafeMutableBytes { buffer -> Int in
      guard let base = buffer.baseAddress else { return -1 }
      return unsafe readlink(
        link, base.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    guard length > 0 else { return nil }
    return String(decoding: target.prefix(length), as: UTF8.self)
  }

  /// Returns the names in a folder, sorted, except those that begin with a dot. Returns an empty
  /// array if the folder cannot be read.
  package static func names(in path: String) -> [String] {
    do throws(SystemError) {
      return try TrustedPath.names(in: path) { $0.first != UInt8(ascii: ".") }
    } catch {
      return []
    }
  }
}
