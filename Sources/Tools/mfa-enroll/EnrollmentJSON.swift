import MFABase
import FoundationEssentials
import MultiFactor

/// The output of `enroll --json`: one object per line. The keys are part of the program's interface
/// (mfa-enroll(1)).
enum EnrollmentJSON {
  /// Writes the new key, before it is enrolled. The text is written in pieces, so that the key is
  /// never in a string.
  ///
  /// Neither the key nor the percent-encoded URL contains a character that JSON would escape.
  static func write(_ secret: TOTPSecret, url: borrowing SecretBytes, to output: Output) {
    let algorithm = AlgorithmName(secret.hashingAlgorithm).rawValue
    let deadline = secret.enrollmentCompletionDeadline.formatted(.iso8601)
    output.write("{\"algorithm\":\"\(algorithm)\",\"digits\":\(secret.codeLength),")
    output.write("\"enrollmentCompletionDeadline\":\"\(deadline)\",\"key\":\"")
    output.write(secret.sharedSecretKey())
    output.write("\",\"periodSeconds\":\(secret.codeIntervalSeconds),\"url\":\"")
    output.write(url)
    output.write("\"}\n")
  }

  /// Returns the line for the factor, once it is enrolled.
  static func line(
    uid: String, displayName: String, _ kind: MultiFactorInfo.FactorKind = .totp
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let factor = Factor(id: uid, displayName: displayName, factorID: kind.rawValue)
    return String(decoding: try encoder.encode(factor), as: UTF8.self) + "\n"
  }

  private struct Factor: Encodable {
    let id: String
    let displayName: String
    let factorID: String
  }
}
