import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFAStore
import MFAWire

// The key that is shown during a sign-in, and shown again if the sign-in is interrupted.
extension SignInEnrollment {
  /// Returns the secret that is first shown at `time`. It is the same for the same user, service, source and version of the
  /// record.
  func secret(from time: Int64) throws(Pause) -> PrivateText {
    var writer = ByteWriter()
    for text in [
      account.name, signIn.request.service, signIn.host.realmHost, signIn.client.identity,
      RecordVersion(try stored()).bytes,
    ] {
      writer.write(UInt16(truncatingIfNeeded: text.count))
      writer.write(text)
    }
    writer.write(account.uid)
    writer.write(time)
    let binding = writer.bytes
    let secret = try storing { () throws(FactorStoreError) in
      try store.enrollmentSecret(binding: binding)
    }
    return PrivateText(secret.prefix(TOTPParameters.standard.algorithm.outputLength))
  }

  /// Returns the key that was shown to this user and source less than ten minutes ago, or nil.
  func keyShown(at now: Int64) throws(Pause) -> ShownKey? {
    let last = try storing { () throws(FactorStoreError) in
      try store.existingEntry(of: account)?.attempts.shownKey
    }
    guard let last, last.age(at: now) != nil,
      try shownKey(secret(from: last.time), from: last.time) == last
    else { return nil }
    return last
  }

  /// Stores when a key was first shown, unless that is known.
  func noteShown(_ secret: PrivateText, from time: Int64) throws(Pause) {
    let shown = try shownKey(secret, from: time)
    try storing { () throws(FactorStoreError) in
      try store.deciding { () throws(FactorStoreError) in
        let entry = try store.entry(of: account, creating: true)
        guard entry.record == nil, entry.attempts.shownKey != shown else { return }
        try entry.write(entry.attempts.showing(shown))
        try entry.sync()
      }
    }
  }

  private func shownKey(_ secret: PrivateText, from time: Int64) throws(Pause) -> ShownKey {
    let label: StaticString = "mfa shown key, version 1"
    let secret = secret.copy()
    let tag = try storing { () throws(FactorStoreError) in
      try cryptographic { () throws(SystemError) in
        var digest = try HMAC(algorithm: .sha256, key: secret.span)
        return try digest.tag(of: label.bytes.span)
      }
    }
    var digest: UInt32 = 0
    for index in 0..<4 { digest = digest << 8 | UInt32(tag.span[index]) }
    return ShownKey(time: time, digest: digest)
  }
}
