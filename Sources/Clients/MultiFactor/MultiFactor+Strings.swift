import Glibc
public import MFABase

extension MultiFactor {
  /// Verifies a code, as the other function does. See `SecretBytes.init(_:)` for what a string leaves
  /// in memory.
  @discardableResult
  public func test(oneTimePassword: String) throws(MultiFactorError) -> TestedCode {
    try test(oneTimePassword: SecretBytes(oneTimePassword))
  }

  /// Sends the helper a code of a factor whose clock is off, as the other function does. See
  /// `SecretBytes.init(_:)` for what a string leaves in memory.
  public func resync(
    _ factor: MultiFactorInfo, code: String, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try resync(factor, code: SecretBytes(code), with: session)
  }

  /// Sends the helper the second code, as the other function does. See `SecretBytes.init(_:)` for
  /// what a string leaves in memory.
  public func completeResync(
    code: String, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try completeResync(code: SecretBytes(code), with: session)
  }
}

extension MultiFactor {
  /// Protects the secrets in this process from the user's other programs: no core dump is written,
  /// and no other process can trace this one or read its memory.
  ///
  /// Call this first in a program that shows keys or asks for passwords and codes. The library does
  /// not call it itself because it affects the whole process: debuggers and crash reporters no
  /// longer work on the process, and its files in /proc belong to root. The protection lasts until
  /// the process executes another program.
  ///
  /// - Returns: whether the process is protected.
  @discardableResult
  public static func protectProcess() -> Bool { ProcessMemory.protect() }
}

// The members by which programs written for Identity Platform use the user object.
extension MultiFactor {
  /// This value: here, the user and the user's second factors are one object.
  public nonisolated var multiFactor: MultiFactor { self }

  /// The name of the user's account on this host, in place of an email address; nil if the system does
  /// not know it. `userName` is the same name, as the helper reports it.
  public nonisolated var email: String? {
    do throws(SystemError) {
      return try Account.with(uid: getuid()).map { String(decoding: $0.name, as: UTF8.self) }
    } catch {
      return nil
    }
  }
}

extension SecretBytes {
  /// Creates a copy of a text in UTF-8.
  ///
  /// The copy is wiped after use. The text itself is not: Swift copies strings without the program's
  /// knowledge, and cannot wipe them. A one-time password is worthless once it is used, so a string
  /// is good enough for it. Passwords and recovery codes should never be in a string.
  public init(_ text: String) {
    self.init(count: text.utf8.count)
    withMutableSpan { bytes in
      var index = 0
      for byte in text.utf8 {
        bytes[index] = byte
        index += 1
      }
    }
  }

  /// The bytes as a text, for programs that show them in a window. Empty if the bytes are not UTF-8.
  ///
  /// The text stays in memory after it is released, until the memory is used for something else. A
  /// program for the terminal calls `print(terminator:)` instead, which leaves no copy.
  public var string: String {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: span))
    } catch {
      return ""
    }
  }
}

// Re-exports the types in the module's interface, so that a program needs no second import.
@_exported public import enum MFABase.HashAlgorithm
@_exported public import struct MFABase.SecretBytes
@_exported public import enum MFAMessages.Language
@_exported public import struct MFAMessages.FailureText
@_exported public import struct MFAMessages.MessageText
