import MFABase
import MFAModel
import MFAWire

@testable import MultiFactor

enum Samples {
  struct Unusable: Error {}

  static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

  static func text(_ text: String) -> DisplayText { DisplayText(cleaning: Array(text.utf8)) }

  static func factor(_ byte: UInt8) throws -> FactorID {
    guard let id = FactorID(bytes: [UInt8](repeating: byte, count: 16)) else { throw Unusable() }
    return id
  }

  static func summary(_ byte: UInt8, _ name: String) throws -> FactorSummary {
    FactorSummary(
      id: try factor(byte), displayName: try DisplayName(Array(name.utf8)),
      enrolledAt: 1_760_000_000, kind: .totp(.standard))
  }

  static func info(_ byte: UInt8, _ name: String) throws -> MultiFactorInfo {
    MultiFactorInfo.make(try summary(byte, name))
  }

  static let welcome: [ScriptedHelper.Line] = [
    .expect("hello"),
    .send {
      guard let user = UserName(Array("alice".utf8)) else { throw Unusable() }
      return .welcome(user: user, issuer: text("Example Host"))
    },
  ]

  static let session: [ScriptedHelper.Line] = [
    .expect("session"),
    .send { .prompt(text: text("Password: "), echo: false) },
    .expect("answer hunter2"),
    .send { .sessionStarted(secondsLeft: 600) },
  ]

  static let key = Array("12345678901234567890".utf8)

  static let generation: [ScriptedHelper.Line] = [
    .expect("generateSecret sha1 six 30"),
    .send {
      .secret(
        GeneratedSecret(
          key: SecretBytes(copying: key.span), parameters: .standard, secondsLeft: 300))
    },
  ]

  @Sendable static func password(_: ReauthenticationPrompt) async -> SecretBytes? {
    secret("hunter2")
  }
}
