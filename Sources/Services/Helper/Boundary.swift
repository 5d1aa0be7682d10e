import MFASecrets
import MFABytes
internal import MFACPAM
import MFAProtocol
public import MFASystem

/// A proof through PAM, under the service `mfa-enroll`.
///
/// The process runs with the caller's real user ID and the effective user ID of the system user
/// `mfa`. pam_unix therefore runs `unix_chkpwd` to check the password, which accepts only the
/// caller's own account.
public struct PAMProof: AccountProof {
  private let identities: PrivilegedProcess.Identities

  /// Creates a proof for the caller of this process.
  public init(_ identities: PrivilegedProcess.Identities) { self.identities = identities }

  /// Authenticates the account through PAM and checks that it may be used.
  ///
  /// Root is not asked for a password, because root may change every record anyway. Besides,
  /// pam_unix would have to read the password hashes itself, which the system user may not.
  public func prove(_ account: Account, by prompter: some Prompter) -> Bool {
    guard identities.caller != 0 else { return account.uid == 0 }
    let user = account.name.map { CChar(bitPattern: $0) } + [0]
    let asker = PAMConversationContext(
      ask: { prompter.answer(to: $0, echo: $1, into: $2) },
      tell: { prompter.tell(DisplayText(cleaning: $0)) })
    return withExtendedLifetime(asker) {
      // SAFETY: `asker` outlives the call, and only the call uses the unretained pointer.
      var calls = unsafe cpam_person(
        context: Unmanaged.passUnretained(asker).toOpaque(),
        ask: { context, prompt, echo, answer in
          unsafe PAMConversationContext.from(context).ask(
            PAMConversationContext.bytes(prompt), echo != 0,
            MutableSpan(_unsafeStart: answer, count: Int(CPAM_ANSWER_CAPACITY)))
        },
        tell: { context, text in
          unsafe PAMConversationContext.from(context).tell(PAMConversationContext.bytes(text))
        })
      // SAFETY: the name ends with a NUL; libpam copies it.
      return unsafe cpam_prove("mfa-enroll", user, &calls) == 1
    }
  }

  /// Makes the system user's identity the only identity of the process.
  public func retire() -> Bool {
    guard !hasDroppedCallerIdentity else { return true }
    do throws(SystemError) {
      try PrivilegedProcess.dropCallerIdentity(identities)
      return true
    } catch {
      return false
    }
  }

  /// Whether all three user IDs of the process are the system user's, as the kernel reports them.
  public var hasDroppedCallerIdentity: Bool {
    do throws(SystemError) {
      return try PrivilegedProcess.identities().caller == identities.own
    } catch {
      return false
    }
  }
}

/// The context that libpam passes to the conversation function.
private final class PAMConversationContext {
  let ask: ([UInt8], Bool, consuming MutableSpan<UInt8>) -> Int32
  let tell: ([UInt8]) -> Void

  init(
    ask: @escaping ([UInt8], Bool, consuming MutableSpan<UInt8>) -> Int32,
    tell: @escaping ([UInt8]) -> Void
  ) {
    self.ask = ask
    self.tell = tell
  }

  static func from(_ context: UnsafeMutableRawPointer) -> PAMConversationContext {
    // SAFETY: `prove` passes only such an object, and keeps it alive.
    unsafe Unmanaged<PAMConversationContext>.fromOpaque(context).takeUnretainedValue()
  }

  static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    // SAFETY: PAM's messages are NUL-terminated, and at most `DisplayText.longest` bytes are read.
    let count = unsafe strnlen(text, DisplayText.longest)
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
