import CPOSIX
import Secrets

/// A system call that failed.
public struct SystemError: Error, Equatable, Sendable {
  /// The call.
  public enum Call: UInt8, Sendable {
    case open, status, read, write, sync, lock, rename, unlink, changeOwner, changeMode,
      listDirectory
    case lookUpAccount, clock, identity, limit, descriptors, host, poll, environment, process
  }

  /// The call.
  public let call: Call

  /// The error number (errno).
  public let number: Int32

  /// Puts an error together.
  public init(_ call: Call, number: Int32) {
    self.call = call
    self.number = number
  }

  /// That what `call` was to find does not exist.
  public static func notFound(_ call: Call) -> SystemError { SystemError(call, number: ENOENT) }

  /// That somebody else has had what `call` was to get for too long.
  public static func busy(_ call: Call) -> SystemError { SystemError(call, number: EWOULDBLOCK) }

  /// The error of the call that has just failed.
  static func last(_ call: Call) -> SystemError { SystemError(call, number: cposix_errno()) }

  /// Whether what was asked for does not exist.
  public var isNotFound: Bool { number == ENOENT }

  /// Whether the process may not do what it asked for.
  public var isForbidden: Bool { number == EACCES }

  /// Whether the call was not permitted (EPERM).
  public var isNotPermitted: Bool { number == EPERM }

  /// Whether another process has held the lock for too long.
  public var isBusy: Bool { number == EWOULDBLOCK }

  /// Whether the other end of a stream is closed.
  public var isBrokenPipe: Bool { number == EPIPE || number == ECONNRESET }

  /// Whether a symbolic link stood where none may (O_NOFOLLOW).
  public var isSymbolicLink: Bool { number == ELOOP }

  /// Whether something that is no directory stood where one must.
  public var isNotADirectory: Bool { number == ENOTDIR }

  /// Whether it was there already.
  public var isExisting: Bool { number == EEXIST }

  /// The system's words for the error, such as `No space left on device`.
  public var text: String {
    // SAFETY: the C library returns a string that lives for ever, or null.
    guard let text = unsafe cposix_error_text(number) else {
      return joined("error ", decimal(Int64(number)))
    }
    return unsafe Self.text(text)
  }

  /// The system's name of the error, such as `ENOSPC`.
  public var name: String {
    // SAFETY: as in `text`.
    guard let name = unsafe cposix_error_name(number) else {
      return joined("E", decimal(Int64(number)))
    }
    return unsafe Self.text(name)
  }

  private static func text(_ string: UnsafePointer<CChar>) -> String {
    var bytes: [UInt8] = []
    // SAFETY: the caller's string ends with a NUL, behind which nothing is read.
    while unsafe string[bytes.count] != 0 {
      unsafe bytes.append(UInt8(bitPattern: string[bytes.count]))
    }
    return utf8Text(bytes)
  }
}

/// Calls until the call is not interrupted by a signal, and throws what it failed with.
@inline(__always)
func retrying<Number: SignedInteger>(
  _ call: SystemError.Call, _ body: () -> Number
) throws(SystemError) -> Number {
  while true {
    let result = body()
    guard result < 0 else { return result }
    let error = SystemError.last(call)
    guard error.number == EINTR else { throw error }
  }
}
