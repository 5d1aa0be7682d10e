import MFASharedStore
import MFAStoreFiles

/// The check of the realm's format when a program starts.
enum RealmFormatCheck {
  /// Refuses a realm whose format this program does not know. A database that does not answer is no reason
  /// to stop: each request compares the format again.
  static func require<Engine: StoreEngine>(
    _ formats: RealmFormats = .supported, of store: SharedFactorStore<Engine>
  ) throws(RealmError) {
    let format: UInt16
    do throws(FactorStoreError) { format = try store.realmFormat() } catch { return }
    guard formats.contains(format) else { throw refusal(format, formats) }
  }

  /// What an administrator is told about a realm with another format.
  static func refusal(_ format: UInt16, _ formats: RealmFormats = .supported) -> RealmError {
    let known =
      formats.oldest == formats.newest
      ? "format \(formats.newest)" : "formats \(formats.oldest) and \(formats.newest)"
    return RealmError(
      "the realm has format \(format), and this mfa-verifier knows only \(known)",
      hint: format > formats.newest
        ? "install the version of mfa-verifier that the other verifiers have"
        : "install the version before, run its mfa-verifier finalize, and upgrade again")
  }
}
