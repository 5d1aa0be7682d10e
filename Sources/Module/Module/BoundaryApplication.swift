import MFABase
import MFACMFA
import MFAWire

// The values of mfa.h in Swift: what the shim passes, and the application behind it.

extension SignInRequest {
  /// Copies what the shim passes.
  package init(_ request: mfa_request) {
    var arguments: [[UInt8]] = []
    // SAFETY: this reads a number, and none of the structure's pointers.
    let count = min(Int(unsafe request.argument_count), Int(Self.maximumArguments))
    for index in 0..<max(count, 0) {
      // SAFETY: the shim passes `argument_count` NUL-terminated strings.
      arguments.append(unsafe Self.bytes(request.arguments[index]) ?? [])
    }
    // SAFETY: the items are NUL-terminated or null.
    self.init(
      user: unsafe Self.bytes(request.user) ?? [],
      service: unsafe Self.bytes(request.service) ?? [],
      remoteHost: unsafe Self.bytes(request.remote_host),
      terminal: unsafe Self.bytes(request.terminal), arguments: arguments)
  }

  private static func bytes(_ string: UnsafePointer<CChar>?) -> [UInt8]? {
    // SAFETY: this only compares the pointer with null.
    guard let string = unsafe string else { return nil }
    // SAFETY: the caller passes a NUL-terminated string.
    return unsafe PAMText.bytes(string, atMost: longestItem)
  }
}

/// Strings received from PAM.
private enum PAMText {
  /// Returns the bytes of a NUL-terminated string, `limit` at most.
  static func bytes(_ string: UnsafePointer<CChar>, atMost limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    while bytes.count < limit {
      // SAFETY: no byte beyond the terminating NUL is read.
      let byte = unsafe UInt8(bitPattern: string[bytes.count])
      guard byte != 0 else { break }
      bytes.append(byte)
    }
    return bytes
  }
}

/// The calls to a PAM application, of which tests have their own implementation.
package protocol Application {
  /// Asks the user one question.
  func ask(_ prompt: Span<UInt8>, echo: Bool) -> Reply
  /// Shows a message, as information or as an error. An essential one is shown even if the application asked
  /// for silence.
  func tell(_ text: Span<UInt8>, isInformation: Bool, essential: Bool)
  /// False if the application asked for silence: only essential messages are shown then.
  var showsMessages: Bool { get }
  /// Stores a note in the PAM transaction, and returns whether that succeeded. Replaces an earlier note.
  func store(note: Span<UInt8>) -> Bool
  /// The note in the PAM transaction, or nil.
  var storedNote: [UInt8]? { get }
  /// Returns the text that was typed for an earlier module (PAM_AUTHTOK).
  func earlierAnswer() -> Reply
  /// Returns the authentication methods that succeeded before PAM ran, with the keys used, as sshd
  /// reports them. Returns an empty array if there were none, and nil if the report is too long to
  /// be read.
  func earlierMethods() -> [UInt8]?
  /// Passes a password to the modules that follow (PAM_AUTHTOK), and returns whether that succeeded.
  func forward(_ password: Span<UInt8>) -> Bool
  /// Writes a line of this priority of syslog(3) to the system log.
  func log(_ priority: Int32, _ line: Span<UInt8>)
  /// Writes a record to the kernel's audit trail, if the host has one.
  func audit(_ record: Audit.Record)
}

/// The application behind PAM, reached through the calls of the shim.
@safe
package struct PAMApplication: Application {
  private let calls: mfa_application

  /// Takes over what the shim passes.
  package init(_ calls: mfa_application) {
    // SAFETY: the shim owns the pointers and outlives this value.
    unsafe self.calls = unsafe calls
  }

  // MARK: Questions and messages

  /// Asks through the application's conversation.
  package func ask(_ prompt: Span<UInt8>, echo: Bool) -> Reply {
    let text = Self.terminated(prompt)
    // SAFETY: the text ends with a NUL; `Self.reply` provides a buffer of the size that mfa.h
    // requires.
    return unsafe Self.reply { answer, count in
      unsafe text.span.withUnsafeBufferPointer { text -> mfa_reply in
        guard let text = text.baseAddress else { return .none }
        return unsafe calls.ask(
          calls.context, UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self), echo ? 1 : 0,
          answer, count)
      }
    }
  }

  /// Shows a message through the application's conversation.
  package func tell(_ text: Span<UInt8>, isInformation: Bool, essential: Bool) {
    // SAFETY: the text ends with a NUL and outlives the call; the shim owns the context.
    _ = unsafe Self.passing(text) { text in
      unsafe calls.tell(calls.context, text, isInformation ? 1 : 0, essential ? 1 : 0)
      return 1
    }
  }

  /// Whether the application did not ask for silence.
  package var showsMessages: Bool {
    // SAFETY: this reads a number.
    unsafe calls.is_listening != 0
  }

  // MARK: Items of the transaction

  /// Stores a note in the PAM transaction, and returns whether that succeeded.
  package func store(note: Span<UInt8>) -> Bool {
    // SAFETY: the text ends with a NUL, and the shim copies it.
    unsafe Self.passing(note) { unsafe calls.note(calls.context, $0) } != 0
  }

  /// The note in the PAM transaction, or nil.
  package var storedNote: [UInt8]? {
    // SAFETY: the shim owns the string, which is NUL-terminated.
    guard let text = unsafe calls.stored_note(calls.context) else { return nil }
    // SAFETY: as above.
    return unsafe PAMText.bytes(text, atMost: SignInRequest.longestItem &+ 1)
  }

  /// Returns PAM's item.
  package func earlierAnswer() -> Reply {
    // SAFETY: as in `ask`.
    unsafe Self.reply { answer, count in
      unsafe calls.earlier_answer(calls.context, answer, count)
    }
  }

  /// Returns the variable of PAM's environment.
  package func earlierMethods() -> [UInt8]? {
    // SAFETY: the string is NUL-terminated and lives as long as the transaction.
    guard let text = unsafe calls.earlier_methods(calls.context) else { return [] }
    // SAFETY: the string is NUL-terminated.
    let bytes = unsafe PAMText.bytes(text, atMost: SignInCall.longestMethods)
    return bytes.count < SignInCall.longestMethods ? bytes : nil
  }

  /// Sets PAM's item.
  package func forward(_ password: Span<UInt8>) -> Bool {
    // SAFETY: the copy ends with a NUL.
    unsafe Self.passing(password) { unsafe calls.forward(calls.context, $0) } != 0
  }

  // MARK: Logs

  /// Writes a line through libpam.
  package func log(_ priority: Int32, _ line: Span<UInt8>) {
    // SAFETY: the text ends with a NUL and outlives the call; the shim owns the context.
    _ = unsafe Self.passing(line) { line in
      unsafe calls.log(calls.context, priority, line)
      return 1
    }
  }

  /// Writes a record as this process.
  package func audit(_ record: Audit.Record) { Audit.write(record) }

  // MARK: C strings

  /// Provides a buffer for the answer to a call, and returns the answer.
  private static func reply(
    _ call: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> mfa_reply
  ) -> Reply {
    let capacity = Int(MFA_ANSWER_CAPACITY)
    var room = SecretBytes(count: capacity)
    var count = 0
    let kind = room.withMutableSpan { room in
      // SAFETY: the call writes at most MFA_ANSWER_CAPACITY bytes.
      unsafe room.withUnsafeMutableBufferPointer { room -> mfa_reply in
        guard let base = room.baseAddress else { return .none }
        return unsafe call(base, &count)
      }
    }
    switch kind {
    case .none: return .absent
    case .tooLong: return .tooLong
    case .text:
      guard count >= 0, count <= capacity else { return .tooLong }
      return .text(room.prefix(count))
    }
  }

  /// Calls `body` with a C string, and returns its result.
  private static func passing(
    _ text: Span<UInt8>, _ body: (UnsafePointer<CChar>) -> Int32
  ) -> Int32 {
    let text = terminated(text)
    // SAFETY: the text ends with a NUL and outlives the call.
    return unsafe text.span.withUnsafeBufferPointer { text in
      guard let text = text.baseAddress else { return 0 }
      return unsafe body(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
    }
  }

  /// Returns a copy that ends with a NUL, without any other NUL.
  private static func terminated(_ text: Span<UInt8>) -> SecretBytes {
    var copy = SecretBytes(count: text.count &+ 1)
    copy.withMutableSpan { copy in
      var length = 0
      for index in text.indices where text[index] != 0 {
        copy[length] = text[index]
        length &+= 1
      }
    }
    return copy
  }
}
