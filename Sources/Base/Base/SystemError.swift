import MFACPOSIX

/// Why the system did not do what was asked: a system call failed, or what it gave cannot be used.
package struct SystemError: Error, Equatable, Sendable {
  /// The kind of system call.
  package enum Call: UInt8, Sendable {
    case open, status, read, write, sync, lock, rename, unlink, changeOwner, changeMode,
      listDirectory
    case lookUpAccount, clock, identity, limit, descriptors, host, poll, environment, process,
      connect, cryptography
  }

  /// Why the result of a successful call cannot be used.
  package enum Obstacle: Equatable, Sendable {
    /// A file or folder is not as it must be.
    case untrusted(TrustFailure)
    /// A resource limit is too low and cannot be raised.
    case limit(ResourceLimit)
    /// An attribute of this process cannot be corrected.
    case attribute(InheritedAttribute)
    /// An argument had an invalid length, or libcrypto could not be loaded or initialised, refused an
    /// algorithm, or had no entropy.
    case cryptography
  }

  /// The call that failed, or whose result cannot be used.
  package let call: Call

  /// The error number (errno), or 0 if there is an obstacle.
  package let number: Int32

  /// Why the result cannot be used, or nil if the call failed.
  package let obstacle: Obstacle?

  /// Creates the error of a call that failed. A call that O_NOFOLLOW made fail found a symbolic link.
  package init(_ call: Call, number: Int32) {
    guard number != ELOOP else {
      self = .untrusted(.symbolicLink)
      return
    }
    self.call = call
    self.number = number
    obstacle = nil
  }

  /// Creates the error of a call whose result cannot be used.
  package init(_ call: Call, _ obstacle: Obstacle) {
    self.call = call
    self.obstacle = obstacle
    number = 0
  }

  /// Returns the error for a file or folder that is not as it must be.
  package static func untrusted(_ failure: TrustFailure) -> SystemError {
    SystemError(.status, .untrusted(failure))
  }

  /// The error of a cryptographic operation.
  package static var cryptography: SystemError { SystemError(.cryptography, .cryptography) }

  /// Returns the error for a target of `call` that does not exist.
  package static func notFound(_ call: Call) -> SystemError { SystemError(call, number: ENOENT) }

  /// Returns the error for a resource that another process has held for too long.
  package static func busy(_ call: Call) -> SystemError { SystemError(call, number: EWOULDBLOCK) }

  /// Returns the error for a target that this process may not use.
  package static func forbidden(_ call: Call) -> SystemError { SystemError(call, number: EACCES) }

  /// Returns the error for a connection that is closed.
  package static func closed(_ call: Call) -> SystemError { SystemError(call, number: EPIPE) }

  /// Returns the error of the call that has just failed.
  static func last(_ call: Call) -> SystemError { SystemError(call, number: cposix_errno()) }

  /// Why a file or folder is not trusted, or nil for any other error.
  package var distrust: TrustFailure? {
    guard case .untrusted(let failure) = obstacle else { return nil }
    return failure
  }

  /// Whether the target does not exist.
  package var isNotFound: Bool { number == ENOENT }

  /// Whether nobody listens on a socket.
  package var isRefused: Bool { number == ECONNREFUSED }

  /// Whether access was denied (EACCES).
  package var isForbidden: Bool { number == EACCES }

  /// Whether the call was not permitted (EPERM).
  package var isNotPermitted: Bool { number == EPERM }

  /// Whether the file system is mounted read-only (EROFS).
  package var isReadOnly: Bool { number == EROFS }

  /// Whether the file system, or the quota of the process's user, has no space left.
  package var hasNoSpace: Bool { number == ENOSPC || isOverQuota }

  /// Whether a disk quota is used up (EDQUOT).
  package var isOverQuota: Bool { number == EDQUOT }

  /// Whether the file system does not support the call.
  package var isNotSupported: Bool {
    number == EOPNOTSUPP || number == EINVAL || number == ENOSYS
  }

  /// Whether the device failed (EIO).
  package var isInputOutput: Bool { number == EIO }

  /// Whether another process has held the resource for too long.
  package var isBusy: Bool { number == EWOULDBLOCK }

  /// Whether the other end of a stream is closed.
  package var isBrokenPipe: Bool { number == EPIPE || number == ECONNRESET }

  /// Whether the target is not a directory.
  package var isNotADirectory: Bool { number == ENOTDIR }

  /// Whether the target is a directory, and a file is required.
  package var isDirectory: Bool { number == EISDIR }

  /// Whether the target exists already.
  package var isExisting: Bool { number == EEXIST }

  /// The system's description of the error, such as `No space left on device`, or the obstacle.
  package var text: String {
    if obstacle != nil { return name }
    // SAFETY: the C library returns a string that is never freed, or null.
    guard let text = unsafe cposix_error_text(number) else {
      return joined("error ", decimal(Int64(number)))
    }
    // SAFETY: the string ends with a NUL.
    return unsafe utf8Text(bytes(text))
  }

  /// The system's name for the error, such as `ENOSPC`, or the obstacle in one word, as written in log
  /// lines.
  package var name: String {
    switch obstacle {
    case nil: numberName
    case .untrusted(let distrust): utf8Text(distrust.name.bytes)
    case .limit: "resource-limit"
    case .attribute(let attribute): utf8Text(attribute.name.bytes)
    case .cryptography: "cryptography"
    }
  }

  /// The system's name for the error number.
  var numberName: String {
    // SAFETY: as in `text`.
    guard let name = unsafe cposix_error_name(number) else {
      return joined("E", decimal(Int64(number)))
    }
    // SAFETY: the string ends with a NUL.
    return unsafe utf8Text(bytes(name))
  }
}

/// Repeats a call until no signal interrupts it. Throws any other error of the call.
@inline(__always)
package func retrying<Number: SignedInteger>(
  _ call: SystemError.Call, _ body: () -> Number
) throws(SystemError) -> Number {
  while true {
    let result = body()
    guard result < 0 else { return result }
    let error = SystemError.last(call)
    guard error.number == EINTR else { throw error }
  }
}
