import MFABase
internal import MFACPAM
import MFACPOSIX
import MFAWire

/// A proof through PAM, under the service `mfa-enroll`.
///
/// The process runs with the caller's real user ID and the effective user ID of the system user
/// `mfa`. pam_unix therefore runs `unix_chkpwd` to check the password, which accepts only the
/// caller's own account.
package struct PAMProof: AccountProof {
  private let identities: PrivilegedProcess.Identities

  /// Creates a proof for the caller of this process.
  package init(_ identities: PrivilegedProcess.Identities) { self.identities = identities }

  /// Authenticates the account through PAM and checks that it may be used.
  ///
  /// Root is not asked for a password, because root may change every record anyway. Besides,
  /// pam_unix would have to read the password hashes itself, which the system user may not.
  ///
  /// An account that pam_faillock has locked, and every account while only root may sign in, is refused
  /// before the password is asked for. The modules of the stack cannot tell that: they run with the
  /// identity of the system user, which may not read the file of pam_faillock.
  package func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
    guard identities.caller != 0 else { return account.uid == 0 ? .proven : .wrong }
    if let refusal = AccountStatusFiles.refusal(of: account, identities) {
      return .refused(refusal)
    }
    let conversation = PAMConversation(
      ask: { prompter.answer(to: $0, echo: $1, into: $2) },
      tell: { prompter.tell(DisplayText(cleaning: $0)) })
    return withExtendedLifetime(conversation) {
      Self.authenticate(account.name, conversation)
    }
  }

  /// Authenticates the user under the service `mfa-enroll`, and checks the account. It is proven if both
  /// succeeded and PAM has not changed the user.
  private static func authenticate(
    _ user: [UInt8], _ conversation: PAMConversation
  ) -> ProofResult {
    let name = user.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the caller keeps the object alive, and only libpam uses the pointer, until `pam_end`.
    var functions = unsafe pam_conv(
      conv: { count, messages, responses, context in
        guard let messages = unsafe messages, let responses = unsafe responses,
          let context = unsafe context
        else { return PAM_CONV_ERR }
        return unsafe PAMConversation.from(context).converse(count, messages, responses)
      }, appdata_ptr: Unmanaged.passUnretained(conversation).toOpaque())
    var handle: OpaquePointer?
    // SAFETY: both strings end with a NUL; libpam copies them, and the structure.
    guard unsafe pam_start("mfa-enroll", name, &functions, &handle) == PAM_SUCCESS,
      let handle = unsafe handle
    else { return .noAnswer }
    // SAFETY: the handle is valid until `pam_end`.
    var status = unsafe pam_authenticate(handle, Int32(PAM_DISALLOW_NULL_AUTHTOK))
    let isAuthenticated = status == PAM_SUCCESS
    // SAFETY: the handle is valid until `pam_end`.
    if isAuthenticated { status = unsafe pam_acct_mgmt(handle, 0) }
    var proven: UnsafeRawPointer?
    var isSame = false
    // SAFETY: the call writes a pointer, which is compared with null. The handle is valid until
    // `pam_end`.
    if status == PAM_SUCCESS, unsafe pam_get_item(handle, PAM_USER, &proven) == PAM_SUCCESS,
      let proven = unsafe proven
    {
      // SAFETY: this item is a NUL-terminated string, which libpam owns.
      isSame = unsafe strcmp(proven.assumingMemoryBound(to: CChar.self), name) == 0
    }
    // SAFETY: the handle is valid, and is not used afterwards.
    _ = unsafe pam_end(handle, status)
    if isSame { return .proven }
    guard isAuthenticated else {
      if status == PAM_ACCT_EXPIRED { return .refused(.expired) }
      return conversation.hasAnswer ? .wrong : .noAnswer
    }
    switch status {
    case PAM_ACCT_EXPIRED: return .refused(.expired)
    case PAM_NEW_AUTHTOK_REQD, PAM_AUTHTOK_EXPIRED: return .refused(.passwordExpired)
    case _: return .refused(.notAllowed)
    }
  }

  /// Makes the system user's identity the only identity of this process, and starts a copy of it that may take
  /// locks. Returns true in the copy, which has a time limit from then on, and false in this process when the copy
  /// has ended.
  ///
  /// A signal that the caller was sending can stop only this process: the copy has never had the caller's identity.
  /// If the system user may have no more processes, this process takes the place of the copy.
  ///
  /// A process that keeps the caller's identity ends. So does one that the caller has slowed down: without its file
  /// capability, the caller can change its scheduling until then, and a process that is never scheduled must not
  /// take a lock.
  package static func retire(
    _ identities: PrivilegedProcess.Identities, whenThisEnds consequence: WorkerProcess.ParentsEnd
  ) -> Bool {
    do throws(SystemError) { try PrivilegedProcess.dropCallerIdentity(identities) } catch {
      WorkerProcess.leave(1)
    }
    do throws(SystemError) {
      if case .copy(let process) = try WorkerProcess.start(whenThisEnds: consequence) {
        WorkerProcess.wait(for: process)
        return false
      }
    } catch {
      PrivilegedProcess.awaitSignals()
    }
    guard isSound(identities) else { WorkerProcess.leave(1) }
    Alarm.set(seconds: RequestLimit.working)
    return true
  }

  private static func isSound(_ identities: PrivilegedProcess.Identities) -> Bool {
    let isSound =
      identities.caller == 0
      || Scheduling.isSound(
        policy: sched_getscheduler(0), niceness: getpriority(Int32(PRIO_PROCESS.rawValue), 0))
    if !isSound {
      var line = LogLine(errorIn: "process", reason: "scheduling-policy")
      line.add("uid", Int64(identities.caller))
      Log.write(.error, line)
    }
    return isSound
  }
}

/// PAM's conversation, split into single questions and messages.
private final class PAMConversation {
  /// Asks a question and writes the answer to a buffer. Returns the answer's length, or -1 if
  /// there is no answer.
  let ask: ([UInt8], Bool, consuming MutableSpan<UInt8>) -> Int32
  let tell: ([UInt8]) -> Void
  /// Whether a question was answered.
  private(set) var hasAnswer = false

  init(
    ask: @escaping ([UInt8], Bool, consuming MutableSpan<UInt8>) -> Int32,
    tell: @escaping ([UInt8]) -> Void
  ) {
    self.ask = ask
    self.tell = tell
  }

  static func from(_ context: UnsafeMutableRawPointer) -> PAMConversation {
    // SAFETY: `authenticate` passes only such an object, and its caller keeps the object alive.
    unsafe Unmanaged<PAMConversation>.fromOpaque(context).takeUnretainedValue()
  }

  /// PAM's conversation function (pam_conv(3)). libpam frees the responses.
  func converse(
    _ count: Int32, _ messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>,
    _ responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>
  ) -> Int32 {
    guard count > 0, count <= PAM_MAX_NUM_MSG else { return PAM_CONV_ERR }
    let count = Int(count)
    // SAFETY: calloc returns memory for `count` responses without answers, or null.
    guard let memory = unsafe calloc(count, MemoryLayout<pam_response>.stride) else {
      return PAM_BUF_ERR
    }
    // SAFETY: the memory has the size and the alignment of `count` responses, and zeros are valid
    // ones.
    let answers = unsafe memory.assumingMemoryBound(to: pam_response.self)
    for index in 0..<count {
      // SAFETY: libpam passes `count` messages, and there is memory for as many responses.
      if unsafe respond(to: messages[index], in: &answers[index]) { continue }
      // SAFETY: each answer comes from calloc or is null, and is not used afterwards.
      for index in 0..<count { unsafe Self.discard(answers[index].resp) }
      // SAFETY: the memory comes from calloc above, and is not used afterwards.
      unsafe free(answers)
      return PAM_CONV_ERR
    }
    // SAFETY: libpam passes a pointer to write to, and takes over the responses.
    unsafe responses.pointee = unsafe answers
    return PAM_SUCCESS
  }

  /// Asks a question or shows a message. Returns whether the conversation may continue.
  private func respond(
    to message: UnsafePointer<pam_message>?, in response: inout pam_response
  ) -> Bool {
    // SAFETY: libpam passes valid structures or null.
    guard let message = unsafe message?.pointee else { return false }
    // SAFETY: libpam passes a NUL-terminated text or null.
    let text = unsafe message.msg.map { unsafe Self.bytes($0) } ?? []
    // SAFETY: this reads a number.
    switch unsafe message.msg_style {
    case PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON:
      // SAFETY: the caller provides a response without an answer.
      unsafe response.resp = unsafe answer(to: text, echo: message.msg_style == PAM_PROMPT_ECHO_ON)
      // SAFETY: this only compares the pointer with null.
      return unsafe response.resp != nil
    case PAM_TEXT_INFO, PAM_ERROR_MSG:
      tell(text)
      return true
    case _: return false
    }
  }

  /// Asks a question. Returns the answer as a C string from malloc, or nil if there is none.
  private func answer(to prompt: [UInt8], echo: Bool) -> UnsafeMutablePointer<CChar>? {
    let capacity = Int(PAM_MAX_RESP_SIZE)
    // SAFETY: calloc returns `capacity` zeros, or null. The last one stays as the NUL.
    guard let memory = unsafe calloc(1, capacity) else { return nil }
    // SAFETY: the memory holds initialised bytes.
    let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
    // SAFETY: the memory has `capacity` bytes, and the span is used only in the call.
    let count = unsafe ask(prompt, echo, MutableSpan(_unsafeStart: bytes, count: capacity - 1))
    // SAFETY: the memory holds initialised bytes, which nothing accesses as `UInt8` any more.
    let answer = unsafe memory.assumingMemoryBound(to: CChar.self)
    if count >= 0 { hasAnswer = true }
    // libpam would silently truncate an answer that contains a NUL.
    // SAFETY: the memory ends with a NUL.
    guard count >= 0, unsafe strlen(answer) == Int(count) else {
      // SAFETY: the answer comes from calloc above, and is not used afterwards.
      unsafe Self.discard(answer)
      return nil
    }
    // SAFETY: the caller owns the answer.
    return unsafe answer
  }

  /// Wipes and frees an answer.
  private static func discard(_ answer: UnsafeMutablePointer<CChar>?) {
    // SAFETY: this only compares the pointer with null.
    guard let answer = unsafe answer else { return }
    // SAFETY: the answer comes from calloc with this size, and is not used afterwards.
    unsafe explicit_bzero(answer, Int(PAM_MAX_RESP_SIZE))
    // SAFETY: the answer comes from calloc, and the caller does not use it afterwards.
    unsafe free(answer)
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    // SAFETY: PAM's messages are NUL-terminated, and at most `DisplayText.longest` bytes are read.
    let count = unsafe strnlen(text, DisplayText.longest)
    // SAFETY: the text has at least `count` bytes, which are copied.
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: count))
  }
}

extension Prompter {
  /// Asks a question and copies the answer to `room`. Returns the length of the answer, or -1 if
  /// the user gave none or it does not fit.
  fileprivate func answer(
    to prompt: [UInt8], echo: Bool, into room: consuming MutableSpan<UInt8>
  ) -> Int32 {
    guard let answer = ask(DisplayText(cleaning: prompt), echo: echo), answer.count <= room.count
    else {
      return -1
    }
    for index in answer.span.indices { room[index] = answer.span[index] }
    return Int32(truncatingIfNeeded: answer.count)
  }
}
