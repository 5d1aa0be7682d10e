/// A parser under test. The fuzzer and `FuzzReplayTests` pass inputs to the same functions.
///
/// Every target checks more than the absence of crashes: parsed values print back equal, data with
/// a checksum cannot be changed, sizes are bounded, and printed text has no control characters.
enum FuzzTarget: String, CaseIterable, Sendable {
  case record
  case attempts
  case auditLog = "audit-log"
  case configuration
  case arguments
  case answers
  case services
  case messages
  case packets
  case otpauth
  case googleAuthenticator = "google-authenticator"
  case usersOATH = "users-oath"
  case sshd
  case json
  case gateway
  case phone

  /// Passes `input` to the parser. Throws if a property does not hold.
  func check(_ input: [UInt8]) throws {
    switch self {
    case .record: try RecordTarget.check(input)
    case .attempts: try AttemptsTarget.check(input)
    case .auditLog: try AuditLogTarget.check(input)
    case .configuration: try ConfigurationTarget.check(input)
    case .arguments: try ArgumentsTarget.check(input)
    case .answers: try AnswersTarget.check(input)
    case .services: try ServicesTarget.check(input)
    case .messages: try MessagesTarget.check(input)
    case .packets: try PacketsTarget.check(input)
    case .otpauth: try OTPAuthTarget.check(input)
    case .googleAuthenticator: try GoogleAuthenticatorTarget.check(input)
    case .usersOATH: try UsersOATHTarget.check(input)
    case .sshd: try SSHDTarget.check(input)
    case .json: try JSONTarget.check(input)
    case .gateway: try GatewayTarget.check(input)
    case .phone: try PhoneTarget.check(input)
    }
  }

  /// Returns inputs in a binary format, created by the product's own encoder, so that they follow
  /// changes of the format. The inputs of the other targets are text files in Seeds/.
  func samples() throws -> [[UInt8]] {
    switch self {
    case .record: try RecordTarget.samples()
    case .attempts: try AttemptsTarget.samples()
    case .messages: try MessagesTarget.samples()
    case .packets: PacketsTarget.samples()
    case .gateway: GatewayTarget.samples()
    case .auditLog, .configuration, .arguments, .answers, .services, .otpauth, .googleAuthenticator,
      .usersOATH, .sshd, .json, .phone:
      []
    }
  }

  /// Whether checking an input requires root, because the store refuses folders that belong to
  /// other users.
  var needsRoot: Bool { self == .auditLog }
}
