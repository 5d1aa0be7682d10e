import MFACPAM
import MFACPOSIX

/// A sign-in of a test account through libpam: authentication and account management, without a
/// session.
enum TrialTransaction {
  /// What the test user types.
  struct Answers {
    let password: [UInt8]
    /// The code, or nil to break the conversation off when it is asked for.
    let code: [UInt8]?
    /// The questions for a code that the configuration sets.
    let prompts: [String]
  }

  /// Signs in. `caller` is the real user ID of the calling process during the sign-in, which tools
  /// such as sudo have from the user who starts them. `hasKey` is whether sshd has verified a key, and `runsAuth` whether
  /// the program has PAM authenticate the user.
  static func signIn(
    _ user: [UInt8], _ service: [UInt8], _ answers: Answers, caller: UInt32, remoteHost: String?,
    hasKey: Bool = false, runsAuth: Bool = true
  ) -> TrialSignIn {
    let conversation = TrialConversation(answers)
    // The effective user ID stays 0, so the change can be undone.
    guard cposix_set_identities(caller, 0, 0) == 0 else {
      return TrialSignIn(isSuccess: false, askedForCode: false)
    }
    defer { _ = cposix_set_identities(0, 0, 0) }
    let isSuccess = withExtendedLifetime(conversation) {
      run(user.terminated, service.terminated, conversation, remoteHost, hasKey, runsAuth)
    }
    return TrialSignIn(isSuccess: isSuccess, askedForCode: conversation.askedForCode)
  }

  private static func run(
    _ user: [CChar], _ service: [CChar], _ conversation: TrialConversation, _ remoteHost: String?,
    _ hasKey: Bool, _ runsAuth: Bool
  ) -> Bool {
    // SAFETY: the caller keeps the object alive, and only libpam uses the pointer, until `pam_end`.
    var functions = unsafe pam_conv(
      conv: { count, messages, responses, context in
        guard let messages = unsafe messages, let responses = unsafe responses,
          let context = unsafe context
        else { return PAM_CONV_ERR }
        return unsafe TrialConversation.from(context).converse(count, messages, responses)
      }, appdata_ptr: Unmanaged.passUnretained(conversation).toOpaque())
    var handle: OpaquePointer?
    // SAFETY: both strings end with a NUL; libpam copies them, and the structure.
    guard unsafe pam_start(service, user, &functions, &handle) == PAM_SUCCESS,
      let handle = unsafe handle
    else { return false }
    // SAFETY: the handle is valid until `pam_end`.
    unsafe describe(handle, user, remoteHost)
    // SAFETY: as above, and libpam copies the string.
    if hasKey { unsafe pam_putenv(handle, "SSH_AUTH_INFO_0=publickey ssh-ed25519 AAAA\n") }
    var status = PAM_SUCCESS
    // SAFETY: the handle is valid until `pam_end`.
    if runsAuth { status = unsafe pam_authenticate(handle, Int32(PAM_DISALLOW_NULL_AUTHTOK)) }
    // SAFETY: the handle is valid until `pam_end`.
    if status == PAM_SUCCESS { status = unsafe pam_acct_mgmt(handle, 0) }
    // SAFETY: the handle is valid, and is not used afterwards.
    _ = unsafe pam_end(handle, status)
    return status == PAM_SUCCESS
  }

  /// Sets what an application tells PAM, and removes the pause after a failure.
  private static func describe(_ handle: OpaquePointer, _ user: [CChar], _ remoteHost: String?) {
    // SAFETY: the handle is valid, the strings end with a NUL, and libpam copies them.
    unsafe pam_set_item(handle, PAM_TTY, remoteHost == nil ? "tty1" : "ssh")
    // SAFETY: as above.
    unsafe pam_set_item(handle, PAM_RUSER, user)
    if let remoteHost {
      // SAFETY: as above.
      unsafe pam_set_item(handle, PAM_RHOST, remoteHost)
    }
    let noPause: @convention(c) (Int32, UInt32, UnsafeMutableRawPointer?) -> Void = { _, _, _ in }
    // SAFETY: libpam stores the pointer to the function, which has the type that libpam expects.
    unsafe pam_set_item(handle, PAM_FAIL_DELAY, unsafeBitCast(noPause, to: UnsafeRawPointer.self))
  }

  /// Returns the hash of a password for /etc/shadow (SHA-512), or nil.
  static func hash(of password: String, salt: String) -> String? {
    // SAFETY: the strings end with a NUL. The result is valid until the next call.
    guard let hash = unsafe cposix_hash_password(password, "$6$\(salt)$") else { return nil }
    // SAFETY: as above.
    let text = unsafe String(cString: hash)
    return text.hasPrefix("$6$") ? text : nil
  }
}

extension [UInt8] {
  /// The bytes as a C string.
  fileprivate var terminated: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}

/// The answers of a test account to PAM's questions. A question for a password contains `assword`, as
/// all modules write it in the C locale, and one for both also `code`; every other question, and one that the
/// configuration sets, is one for a code.
private final class TrialConversation {
  private let answers: TrialTransaction.Answers
  private(set) var askedForCode = false
  /// The number of questions until the conversation is broken off.
  private var left = 8

  init(_ answers: TrialTransaction.Answers) { self.answers = answers }

  static func from(_ context: UnsafeMutableRawPointer) -> TrialConversation {
    // SAFETY: `run` passes only such an object, and its caller keeps the object alive.
    unsafe Unmanaged<TrialConversation>.fromOpaque(context).takeUnretainedValue()
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
    let replies = unsafe memory.assumingMemoryBound(to: pam_response.self)
    for index in 0..<count {
      // SAFETY: libpam passes `count` messages.
      guard let message = unsafe messages[index], let text = unsafe answer(to: message.pointee)
      else {
        // SAFETY: each answer comes from strdup or is null, and is not used afterwards.
        for index in 0..<count { unsafe free(replies[index].resp) }
        // SAFETY: the memory comes from calloc above, and is not used afterwards.
        unsafe free(memory)
        return PAM_CONV_ERR
      }
      // SAFETY: the text ends with a NUL, and there is memory for `count` responses.
      if !text.isEmpty { unsafe replies[index].resp = strdup(text.terminated) }
    }
    // SAFETY: libpam passes a pointer to write to, and takes over the responses.
    unsafe responses.pointee = unsafe replies
    return PAM_SUCCESS
  }

  /// Returns the answer to a question, empty for a message without a question, or nil to break off.
  private func answer(to message: pam_message) -> [UInt8]? {
    // SAFETY: the structure is valid during the call.
    let style = unsafe message.msg_style
    guard style == PAM_PROMPT_ECHO_OFF || style == PAM_PROMPT_ECHO_ON else { return [] }
    left -= 1
    guard left > 0 else { return nil }
    // SAFETY: the text of a message ends with a NUL, or is null.
    let question = unsafe message.msg.map { unsafe String(cString: $0) } ?? ""
    let isSet = answers.prompts.contains { question.hasSuffix($0 + " ") }
    guard question.contains("assword"), !isSet else {
      askedForCode = true
      return answers.code
    }
    // The module's question for both.
    guard question.contains("code") else { return answers.password }
    askedForCode = true
    return answers.password + (answers.code ?? [])
  }
}
