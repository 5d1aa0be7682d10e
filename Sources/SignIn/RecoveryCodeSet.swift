public import FactorStore
public import Factors
import OneTimePassword
public import Secrets

/// A whole new set of recovery codes, made by `mfa-enroll` or in a sign-in.
public enum RecoveryCodeSet {
  /// Makes as many codes as a user of `record` may have, and hands back how they are written, in
  /// ASCII, one behind the other. What is to be kept of them is put into `digests`.
  public static func make<Entry: FactorStoreEntry>(
    for record: FactorRecord, by entry: Entry, digests: inout [RecoveryCodeDigest]
  ) throws(FactorStoreError) -> SecretBytes {
    let length = RecoveryCode.writtenLength
    var text = SecretBytes(count: FactorRecord.maximumRecoveryCodes &* length)
    for number in 0..<FactorRecord.maximumRecoveryCodes {
      let (code, digest) = try Attempt.newRecoveryCode(of: record, entry)
      digests.append(digest)
      let written = code.written()
      text.withMutableSpan { text in
        for index in written.span.indices { text[number &* length &+ index] = written.span[index] }
      }
    }
    return text
  }
}
