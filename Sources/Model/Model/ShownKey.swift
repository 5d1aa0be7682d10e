import MFABase

/// When a new key was first shown to a user who enrols during a sign-in, and a digest of the key.
///
/// The key itself is stored nowhere: it is derived from the time with the key of the store, for one user, one source and
/// one version of the record. If the sign-in is interrupted, the next one shows the same key, and the user's app need
/// not be given another.
package struct ShownKey: Equatable, Sendable {
  /// When the key was first shown, in seconds since the epoch; 0 if none was.
  package let time: Int64
  /// The beginning of a digest of the key, which reveals nothing about it.
  package let digest: UInt32

  /// Creates a value. By default, no key was shown.
  package init(time: Int64 = 0, digest: UInt32 = 0) {
    self.time = time
    self.digest = digest
  }

  /// How long after its first showing a key is shown again, in seconds. NIST SP 800-63B-4, section 4.1, allows ten
  /// minutes for a binding code.
  package static var lifetime: Int64 { 600 }

  /// Returns how many seconds ago the key was first shown, or nil if it is not shown again at `now`: it is too old, or
  /// the clock was set back.
  package func age(at now: Int64) -> Int64? {
    let (age, overflow) = now.subtractingReportingOverflow(time)
    guard time > 0, !overflow, age >= 0, age <= Self.lifetime else { return nil }
    return age
  }

  /// Appends the binary form.
  func encode(to writer: inout ByteWriter) {
    writer.write(time)
    writer.write(digest)
  }

  /// Reads the binary form. Returns nil if it is too short.
  init?(_ reader: inout ByteReader) {
    guard let time = reader.read(Int64.self), let digest = reader.read(UInt32.self) else {
      return nil
    }
    self.init(time: time, digest: digest)
  }
}
