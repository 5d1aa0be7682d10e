import MFABase
import MFACrypto
import MFAModel
import MFAStore

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

extension RecoveryCode {
  /// Returns a new code from 80 random bits.
  package static func random() throws(SystemError) -> RecoveryCode {
    let bytes = try SecretBytes.random(count: length)
    guard let code = RecoveryCode(bytes: bytes) else {
      throw .cryptography
    }
    return code
  }
}

/// The file /etc/mfa/break-glass, which `mfa-admin break-glass` writes.
package enum BreakGlassFile {
  /// How long to wait while another process computes the hash, in seconds.
  private static var patience: Int64 { 10 }

  /// Returns the credential, or nil if the file is missing, malformed, or writable by other users.
  package static func credential() -> BreakGlassCredential? {
    do throws(ConfigurationError) {
      return BreakGlassCredential(try ConfigurationFile.text(InstalledPath.breakGlass.bytes))
    } catch {
      return nil
    }
  }

  /// Calls `body` while no other process computes the hash, which needs much memory. Returns nil if
  /// others compute it for too long.
  package static func alone<Result>(_ body: () -> Result) -> Result? {
    guard let path = TrustedPath(InstalledPath.breakGlass.bytes) else { return nil }
    do throws(SystemError) {
      let folder = try path.parent()
      do throws(SystemError) {
        let file = try folder.fileForReading(path.last)
        guard try file.lock(seconds: patience) else { return nil }
        let result = body()
        // The lock ends with the open file, which must stay open until here.
        withExtendedLifetime(file) {}
        return result
      } catch {
        return nil
      }
    } catch {
      return nil
    }
  }
}
