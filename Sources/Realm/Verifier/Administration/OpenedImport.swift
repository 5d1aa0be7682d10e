import MFAModel
import MFARealm
import MFABase

/// What a host sent about one user, decoded.
///
/// MUST 1: what cannot be decoded, or does not fit together, is refused as a whole. (`HostImportTests.malformed`)
struct OpenedImport {
  let request: AdministrationImport
  /// The record of the host, without secrets.
  let record: FactorRecord
  let attempts: AttemptState

  /// Decodes a request. Returns nil if it is not consistent.
  init?(_ request: AdministrationImport) {
    guard let record = FactorRecord(encoded: request.record.span),
      let attempts = AttemptState.decode(unpadded: request.attempts)?.state,
      attempts.record == record.id,
      record.user.bytes == request.user, record.grants.isEmpty, record.notices.isEmpty,
      record.factors.allSatisfy({ $0.sealed.isEmpty })
    else { return nil }
    self.request = request
    self.record = record
    self.attempts = attempts
    let keys = record.recoveryCodes.isEmpty ? 0 : 1
    guard request.secrets.count == record.factors.count + keys else { return nil }
    for number in record.factors.indices {
      guard let secret = request.secrets.secret(number), Self.lengths.contains(secret.count) else {
        return nil
      }
    }
    if keys > 0 {
      guard let keys = request.secrets.secret(record.factors.count),
        keys.count == FactorRecord.portableKeysLength
      else { return nil }
    }
  }

  /// The valid lengths of a secret or a phone number in bytes.
  private static var lengths: ClosedRange<Int> { 1...64 }
}
