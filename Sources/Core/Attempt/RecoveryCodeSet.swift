import MFAStore
import MFAModel
import MFABase

/// A complete new set of recovery codes, created by `mfa-enroll` or during a sign-in.
package enum RecoveryCodeSet {
  /// Creates the maximum number of codes for `record`, and returns them in written form, one after
  /// the other. Appends their digests to `digests`.
  package static func make<Entry: FactorStoreEntry>(
    for record: FactorRecord, by entry: Entry, digests: inout [RecoveryCodeDigest]
  ) throws(FactorStoreError) -> SecretBytes {
    let length = RecoveryCode.writtenLength
    var text = SecretBytes(count: FactorRecord.maximumRecoveryCodes &* length)
    for number in 0..<FactorRecord.maximumRecoveryCodes {
      let new = try Attempt.newRecoveryCode(of: record, entry)
      digests.append(new.digest)
      let written = new.code.written()
      text.withMutableSpan { text in
        for index in written.span.indices { text[number &* length &+ index] = written.span[index] }
      }
    }
    return text
  }
}
