import MFABase
import MFAMessages
import MFAModel

/// A request from the client to the helper.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`HelperRequestTests.roundTrip`, `.everyTruncation`, `.trailingBytes`, `.refused`)
/// MUST 2: an answer or code that a user typed is held only in `SecretBytes`.
package enum HelperRequest: ~Copyable, Sendable {
  /// Opens the conversation. It contains `version`; a helper of a different version refuses it.
  /// The helper writes its prompts in the language, and stores it with each change of the factors.
  case hello(Language)
  /// Requests a session: the helper verifies, by prompts, that the caller owns the account.
  case session
  /// Answers a prompt.
  case answer(SecretBytes)
  /// Declines to answer a prompt, which ends the re-authentication.
  case cancel
  /// Requests a new secret. Needs a session.
  case generateSecret(TOTPParameters)
  /// Confirms the secret with a code generated from it, and requests its enrolment. Needs a
  /// session.
  case enroll(EnrollmentRequest)
  /// Requests the list of enrolled factors.
  case list
  /// Renames a factor. Needs a session.
  case rename(factor: FactorID, displayName: DisplayName)
  /// Removes a factor. Needs a session.
  case unenroll(factor: FactorID)
  /// Verifies a code as at sign-in: it counts as an attempt, and an accepted code of a factor is used
  /// up. A recovery code or a bypass code is recognised, and not used up.
  case test(SecretBytes)
  /// Ends the conversation.
  case bye
  /// Requests a session as `session` does, but with an administrator's ticket as the proof of
  /// ownership.
  case ticketSession
  /// Requests the state of the account's second factors.
  case status
  /// Requests new recovery codes, which invalidate the old ones. Needs a session.
  case generateRecoveryCodes
  /// Presents a code of a factor whose clock is off. The code after it follows in `completeResync`,
  /// at most two minutes later. Needs a session.
  case resync(ResyncRequest)
  /// Imports a factor that another program created. Needs a session.
  case importFactor(ImportRequest)
  /// Verifies a code as `test` does. If the request names a factor, only its codes are accepted.
  case signIn(CodeRequest)
  /// Mails the pending notices in a user's record: the caller's own, or any user's if the caller is
  /// root or the helper itself.
  case deliver(user: UserName)
  /// Clears remembered sign-ins, so that the next sign-in from anywhere asks for a code.
  case forget
  /// Presents the code that follows the one in `resync`. Needs a session.
  case completeResync(SecretBytes)
  /// Reports what would prevent the enrolment of an authenticator app or a phone with this name, before the user is
  /// asked for anything.
  case checkEnrollment(DisplayName, isPhone: Bool)
  /// Requests the pending notices as texts. Those that need no confirmation are then no longer
  /// pending.
  case readNotices
  /// Requests a code for a phone number, as typed, that is to be enrolled. Needs a session.
  case beginPhone(SecretBytes)
  /// Presents the code that was sent, and requests the enrolment of the number. Needs a session.
  case confirmPhone(EnrollmentRequest)
  /// Requests a code for an enrolled phone, which is accepted in this conversation only.
  case sendCode(factor: FactorID)
  /// Requests new offline recovery codes for a group of hosts of the realm, which invalidate the old ones for
  /// it. Without a name, they are for the groups of this host. Needs a session.
  case generateOfflineCodes(group: [UInt8])
  /// Requests a new password for a program. Needs a session.
  case makeProgramPassword(ProgramPasswordRequest)
  /// Requests the list of passwords for programs.
  case listProgramPasswords
  /// Removes a password for a program. Needs a session.
  case removeProgramPassword(GrantID)

  /// The version of the protocol.
  package static let version: UInt8 = 1

  /// The longest answer and the longest code in bytes: PAM_MAX_RESP_SIZE.
  package static let longestAnswer = 512

  /// The longest name of a group of hosts in bytes.
  package static let longestGroup = 64

  /// The kinds of request, with the numbers in messages.
  private enum Kind: UInt8 {
    case hello = 1
    case session
    case answer
    case cancel
    case generateSecret
    case enroll
    case list
    case rename
    case unenroll
    case test
    case bye
    case ticketSession
    case status
    case generateRecoveryCodes
    case resync
    case importFactor
    case signIn
    case deliver
    case forget
    case completeResync
    case checkEnrollment
    case readNotices
    case beginPhone
    case confirmPhone
    case sendCode
    case generateOfflineCodes
    case makeProgramPassword
    case listProgramPasswords
    case removeProgramPassword
  }

  private var kind: Kind {
    switch self {
    case .hello: .hello
    case .session: .session
    case .answer: .answer
    case .cancel: .cancel
    case .generateSecret: .generateSecret
    case .enroll: .enroll
    case .list: .list
    case .rename: .rename
    case .unenroll: .unenroll
    case .test: .test
    case .bye: .bye
    case .ticketSession: .ticketSession
    case .status: .status
    case .generateRecoveryCodes: .generateRecoveryCodes
    case .resync: .resync
    case .importFactor: .importFactor
    case .signIn: .signIn
    case .deliver: .deliver
    case .forget: .forget
    case .completeResync: .completeResync
    case .checkEnrollment: .checkEnrollment
    case .readNotices: .readNotices
    case .beginPhone: .beginPhone
    case .confirmPhone: .confirmPhone
    case .sendCode: .sendCode
    case .generateOfflineCodes: .generateOfflineCodes
    case .makeProgramPassword: .makeProgramPassword
    case .listProgramPasswords: .listProgramPasswords
    case .removeProgramPassword: .removeProgramPassword
    }
  }

  /// Creates a request of a kind, whose fields are read next.
  private init(_ kind: Kind) {
    switch kind {
    case .hello: self = .hello(.english)
    case .session: self = .session
    case .answer: self = .answer(SecretBytes(count: 0))
    case .cancel: self = .cancel
    case .generateSecret: self = .generateSecret(.standard)
    case .enroll: self = .enroll(EnrollmentRequest())
    case .list: self = .list
    case .rename: self = .rename(factor: .zero, displayName: .placeholder)
    case .unenroll: self = .unenroll(factor: .zero)
    case .test: self = .test(SecretBytes(count: 0))
    case .bye: self = .bye
    case .ticketSession: self = .ticketSession
    case .status: self = .status
    case .generateRecoveryCodes: self = .generateRecoveryCodes
    case .resync: self = .resync(ResyncRequest())
    case .importFactor: self = .importFactor(ImportRequest())
    case .signIn: self = .signIn(CodeRequest())
    case .deliver: self = .deliver(user: .placeholder)
    case .forget: self = .forget
    case .completeResync: self = .completeResync(SecretBytes(count: 0))
    case .checkEnrollment: self = .checkEnrollment(.placeholder, isPhone: false)
    case .readNotices: self = .readNotices
    case .beginPhone: self = .beginPhone(SecretBytes(count: 0))
    case .confirmPhone: self = .confirmPhone(EnrollmentRequest())
    case .sendCode: self = .sendCode(factor: .zero)
    case .generateOfflineCodes: self = .generateOfflineCodes(group: [])
    case .makeProgramPassword: self = .makeProgramPassword(ProgramPasswordRequest())
    case .listProgramPasswords: self = .listProgramPasswords
    case .removeProgramPassword: self = .removeProgramPassword(.zero)
    }
  }

  /// Reads or writes the fields.
  private mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var request = HelperRequest.bye
    swap(&request, &self)
    let longest = Self.longestAnswer
    switch consume request {
    case .hello(var language):
      try coder.constant(Self.version)
      try coder.choice(&language)
      self = .hello(language)
    case .answer(var answer):
      try coder.secret(&answer, longest: longest)
      self = .answer(answer)
    case .generateSecret(var parameters):
      try coder.parameters(&parameters)
      self = .generateSecret(parameters)
    case .enroll(var request):
      try request.fields(&coder)
      self = .enroll(request)
    case .rename(var factor, var name):
      try coder.identifier(&factor)
      try coder.name(&name)
      self = .rename(factor: factor, displayName: name)
    case .unenroll(var factor):
      try coder.identifier(&factor)
      self = .unenroll(factor: factor)
    case .test(var code):
      try coder.secret(&code, longest: longest)
      self = .test(code)
    case .resync(var request):
      try request.fields(&coder)
      self = .resync(request)
    case .importFactor(var request):
      try request.fields(&coder)
      self = .importFactor(request)
    case .signIn(var request):
      try request.fields(&coder)
      self = .signIn(request)
    case .deliver(var user):
      try coder.user(&user)
      self = .deliver(user: user)
    case .completeResync(var code):
      try coder.secret(&code, longest: longest)
      self = .completeResync(code)
    case .checkEnrollment(var name, var isPhone):
      try coder.name(&name)
      try coder.flag(&isPhone)
      self = .checkEnrollment(name, isPhone: isPhone)
    case .beginPhone(var number):
      try coder.secret(&number, longest: longest)
      self = .beginPhone(number)
    case .confirmPhone(var request):
      try request.fields(&coder)
      self = .confirmPhone(request)
    case .sendCode(var factor):
      try coder.identifier(&factor)
      self = .sendCode(factor: factor)
    case .generateOfflineCodes(var group):
      try coder.bytes(&group, longest: Self.longestGroup)
      self = .generateOfflineCodes(group: group)
    case .makeProgramPassword(var request):
      try request.fields(&coder)
      self = .makeProgramPassword(request)
    case .removeProgramPassword(var id):
      try coder.identifier(&id)
      self = .removeProgramPassword(id)
    case .listProgramPasswords: self = .listProgramPasswords
    case .session: self = .session
    case .cancel: self = .cancel
    case .list: self = .list
    case .bye: self = .bye
    case .ticketSession: self = .ticketSession
    case .status: self = .status
    case .generateRecoveryCodes: self = .generateRecoveryCodes
    case .forget: self = .forget
    case .readNotices: self = .readNotices
    }
  }

  /// Returns the message with its frame. Throws if a value is out of range, such as an answer
  /// longer than `longestAnswer`.
  @export(interface)
  package consuming func encoded() throws(PacketError) -> SecretBytes {
    var coder = Coder(framed: kind.rawValue)
    try fields(&coder)
    return try coder.frame()
  }

  /// Parses a message from a frame's body.
  @export(interface)
  package init(body: Span<UInt8>) throws(PacketError) {
    self = .bye
    var coder = Coder(readingBody: SecretBytes(copying: body))
    self = HelperRequest(try coder.kind())
    try fields(&coder)
    try coder.end()
  }
}
