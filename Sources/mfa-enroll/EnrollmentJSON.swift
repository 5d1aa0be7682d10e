import FoundationEssentials
import MultiFactor
import Secrets

/// What `enroll --json` prints: an object a line. The names are part of the program's interface:
/// mfa-enroll(1).
enum EnrollmentJSON {
  /// The new key, before it is enrolled. It is written piece by piece, so that it becomes no string.
  ///
  /// Neither the key nor the URL, in which everything unusual is percent-encoded, has a character
  /// that JSON would want escaped.
  static func write(_ secret: TOTPSecret, url: borrowing SecretBytes, to output: Output) {
    let algorithm = AlgorithmName(secret.hashingAlgorithm).rawValue
    let deadline = secret.enrollmentCompletionDeadline.formatted(.iso8601)
    output.write("{\"algorithm\":\"\(algorithm)\",\"digits\":\(secret.codeLength),")
    output.write("\"enrollmentCompletionDeadline\":\"\(deadline)\",\"key\":\"")
    output.write(secret.sharedSecretKey())
    output.write("\",\"period\":\(secret.codeIntervalSeconds),\"url\":\"")
    output.write(url)
    output.write("\"}\n")
  }

  /// The factor, once it is enrolled.
  static func line(uid: String, displayName: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let factor = Factor(uid: uid, displayName: displayName)
    return String(decoding: try encoder.encode(factor), as: UTF8.self) + "\n"
  }

  private struct Factor: Encodable {
    let uid: String
    let displayName: String
    var factorID = MultiFactorInfo.FactorKind.totp.rawValue
  }
}
