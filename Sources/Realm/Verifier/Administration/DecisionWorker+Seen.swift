import MFABase
import MFAModel
import MFARealm
import MFARealmStore
import MFAStore

extension DecisionWorker {
  /// Records that a host, and the verifier of this service, were seen.
  ///
  /// MUST: a host that is refused is not recorded. (`HostAdministrationTests.lastSeen`)
  func note(_ seen: SeenHost) -> VerifierReply {
    do throws(FactorStoreError) {
      let registry = realm.hosts()
      guard try registry.host(seen.host, certificate: seen.serial) != nil else { return .refused }
      try registry.note(
        .host(seen.host), version: seen.version, certificateEnd: seen.certificateEnd)
      try registry.note(.verifier(seen.verifier), version: Release.version.bytes)
      return .alive
    } catch {
      report("seen", host: seen.host, error)
      return .refused
    }
  }
}
