import MFABytes
import MFASecrets
import MFACMFA
import MFASystem

// The functions of mfa.h: the boundary between C and the rest of the module.

@c @implementation
func mfa_sign_in(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) -> mfa_verdict {
  // SAFETY: the shim passes structures that outlive the call.
  let signIn = unsafe SignIn(
    SignInRequest(request.pointee), host: LocalHost(),
    application: PAMApplication(application.pointee))
  return signIn.authenticate()
}

@c @implementation
func mfa_account(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) -> mfa_verdict {
  // SAFETY: as above.
  let signIn = unsafe SignIn(
    SignInRequest(request.pointee), host: LocalHost(),
    application: PAMApplication(application.pointee))
  return signIn.checkAccount()
}

extension SignInRequest {
  /// The longest PAM item that is read, in bytes. A longer item is truncated, and a truncated user
  /// name matches no account.
  private static var longestItem: Int { 1024 }

  /// The largest number of arguments that is read. A line of a service file holds fewer.
  private static var maximumArguments: Int { 64 }

  fileprivate init(_ request: mfa_request) {
    var arguments: [[UInt8]] = []
    // SAFETY: this reads a number, and none of the structure's pointers.
    let count = min(Int(unsafe request.argument_count), Self.maximumArguments)
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

/// The application behind PAM, reached through the calls of the shim.
@safe
private struct PAMApplication: Application {
  private let calls: mfa_application

  // SAFETY: the shim owns the pointers and outlives this value.
  init(_ calls: mfa_application) { unsafe self.calls = unsafe calls }

  func ask(_ prompt: [UInt8], echo: Bool) -> Reply {
    let prompt = Self.terminated(prompt)
    // SAFETY: the prompt ends with a NUL; `Self.reply` provides a buffer of the size that mfa.h
    // requires.
    return unsafe Self.reply { answer, count in
      unsafe prompt.withUnsafeBufferPointer { prompt in
        guard let prompt = prompt.baseAddress else { return .none }
        return unsafe calls.ask(calls.context, prompt, echo ? 1 : 0, answer, count)
      }
    }
  }

  func tell(_ text: String, essential: Bool) {
    let text = Self.terminated(bytes(of: text))
    // SAFETY: the text ends with a NUL and outlives the call; the shim owns the context.
    unsafe text.withUnsafeBufferPointer { text in
      guard let text = text.baseAddress else { return }
      unsafe calls.tell(calls.context, text, essential ? 1 : 0)
    }
  }

  var showsMessages: Bool {
    // SAFETY: this reads a number.
    unsafe calls.is_listening != 0
  }

  func reveal(_ text: String, _ secret: consuming SecretBytes) {
    let label = bytes(of: text)
    var terminated = SecretBytes(count: label.count + secret.count + 1)
    terminated.withMutableSpan { target in
      for index in label.indices { target[index] = label[index] }
      for index in secret.span.indices { target[label.count + index] = secret.span[index] }
    }
    // SAFETY: the text ends with a NUL.
    unsafe terminated.span.withUnsafeBufferPointer { text in
      guard let base = text.baseAddress else { return }
      unsafe calls.tell(
        calls.context, UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), 1)
    }
  }

  func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply {
    var terminated = SecretBytes(count: prompt.count + 1)
    terminated.withMutableSpan { target in
      for index in prompt.span.indices { target[index] = prompt.span[index] }
    }
    // SAFETY: the text ends with a NUL; `Self.reply` provides a buffer of the size that mfa.h
    // requires.
    return unsafe Self.reply { answer, count in
      unsafe terminated.span.withUnsafeBufferPointer { text -> mfa_reply in
        guard let base = text.baseAddress else { return .none }
        return unsafe calls.ask(
          calls.context, UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self),
          echo ? 1 : 0, answer, count)
      }
    }
  }

  func note(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    // SAFETY: the text ends with a NUL, and the shim copies it.
    unsafe Self.terminated([note.rawValue] + name).withUnsafeBufferPointer { text in
      guard let text = text.baseAddress else { return false }
      return unsafe calls.note(calls.context, text) != 0
    }
  }

  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    // SAFETY: the text ends with a NUL.
    unsafe Self.terminated([note.rawValue] + name).withUnsafeBufferPointer { text in
      guard let text = text.baseAddress else { return false }
      return unsafe calls.is_noted(calls.context, text) != 0
    }
  }

  func log(_ priority: LogPriority, _ line: LogLine) {
    let text = Self.terminated(line.text)
    // SAFETY: the text ends with a NUL and outlives the call; the shim owns the context.
    unsafe text.withUnsafeBufferPointer { text in
      guard let text = text.baseAddress else { return }
      unsafe calls.log(calls.context, priority.number, text)
    }
  }

  func audit(_ record: Audit.Record) { Audit.write(record) }

  func earlierAnswer() -> Reply {
    // SAFETY: as in `ask`.
    unsafe Self.reply { answer, count in
      unsafe calls.earlier_answer(calls.context, answer, count)
    }
  }

  /// The longest report of earlier methods that is read, in bytes. It holds several of the longest
  /// keys, as certificates.
  private static var longestMethods: Int { 32_768 }

  func earlierMethods() -> [UInt8]? {
    // SAFETY: the string is NUL-terminated and lives as long as the transaction.
    guard let text = unsafe calls.earlier_methods(calls.context) else { return [] }
    // SAFETY: the string is NUL-terminated.
    let bytes = unsafe PAMText.bytes(text, atMost: Self.longestMethods)
    return bytes.count < Self.longestMethods ? bytes : nil
  }

  func forward(_ password: Span<UInt8>) -> Bool {
    var terminated = SecretBytes(count: password.count &+ 1)
    terminated.withMutableSpan { target in
      for index in password.indices { target[index] = password[index] }
    }
    // SAFETY: the copy ends with a NUL.
    return unsafe terminated.span.withUnsafeBufferPointer { password in
      guard let base = password.baseAddress else { return false }
      return unsafe calls.forward(
        calls.context, UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)) != 0
    }
  }

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
    case .none: return .none
    case .tooLong: return .tooLong
    case .text:
      guard count >= 0, count <= capacity else { return .tooLong }
      return .text(room.prefix(count))
    }
  }

  private static func terminated(_ bytes: [UInt8]) -> [CChar] {
    var text: [CChar] = []
    text.reserveCapacity(bytes.count &+ 1)
    for byte in bytes where byte != 0 { text.append(CChar(bitPattern: byte)) }
    text.append(0)
    return text
  }
}
