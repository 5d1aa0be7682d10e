import MFAStore
import MFABase
import MFARealm

// The hosts and verifiers of the realm.
extension RealmAdministrator {
  /// Returns the hosts of the realm, sorted by name.
  package func hosts() throws(AdminError) -> [AdministeredHost] {
    var hosts: [AdministeredHost] = []
    while true {
      switch try reply(to: .hosts(after: hosts.last?.name ?? [])) {
      case .hosts(let page, let isEnd):
        hosts += page
        if isEnd { return hosts }
        guard !page.isEmpty else { throw .realm(.otherVersion) }
      default: throw .realm(.otherVersion)
      }
    }
  }

  /// Returns the state of the realm.
  package func state() throws(AdminError) -> AdministeredRealm {
    switch try reply(to: .realm) {
    case .realm(let realm): return realm
    default: throw .realm(.otherVersion)
    }
  }

  /// Creates a ticket with which a host joins, and returns its text.
  package func newTicket(
    for host: String, groups: [String]
  ) throws(AdminError) -> SecretBytes {
    let name = Array(host.utf8)
    switch try reply(to: .newHostTicket(host: name, groups: groups.map { Array($0.utf8) })) {
    case .hostTicket(let code):
      note("host-ticket-made", host: name, nil)
      return code
    default: throw .realm(.otherVersion)
    }
  }

  /// Revokes all certificates of a host.
  package func revokeHost(_ host: String) throws(AdminError) -> AuditLogCheckpoint? {
    let name = Array(host.utf8)
    switch try reply(to: .revokeHost(name)) {
    case .done(let checkpoint):
      let mark = AuditLogCheckpoint(checkpoint)
      note("host-revoked", host: name, mark)
      return mark
    default: throw .realm(.otherVersion)
    }
  }

  /// Returns what a verifier says about itself and its database.
  package func inspection() throws(AdminError) -> VerifierInspection {
    switch try reply(to: .inspect) {
    case .inspection(let inspection): return inspection
    default: throw .realm(.otherVersion)
    }
  }
}
