#if Fleet
import MFAStore
import MFACrypto
import MFAModel
import MFARealmTransport
import MFARealmStore
import MFASignInTestSupport
import MFABase

/// The realm of a run. Its key is 32 times the byte 7, and all users have the secret of the RFCs' examples.
struct LoadRealm {
  private let engine: PostgreSQLEngine
  private static let days: UInt16 = 30

  init(_ connection: String) {
    engine = PostgreSQLEngine(PostgreSQLConfiguration(connection: connection))
  }

  static func host(_ number: Int) -> String { "host\(number).example.org" }

  static func user(_ number: Int) -> String { "user\(number)" }

  private func store() -> SharedFactorStore<PostgreSQLEngine> {
    SharedFactorStore(
      engine, for: SharedRequest(host: nil, hostLimit: 0, nonce: nil), intervals: { 10 },
      key: { () throws(FactorStoreError) in
        do throws(SystemError) {
          return try SealingKey(master: [UInt8](repeating: 7, count: SealingKey.length).span)
        } catch {
          throw .cryptography
        }
      },
      clock: { () throws(FactorStoreError) in
        do throws(SystemError) { return try Clock.now() } catch { throw .system(.clock, error) }
      })
  }

  private static let actor = AuditLogEvent.Actor(
    name: [], uid: nil, program: Array("load".utf8), source: Source([]))

  /// Issues the certificates of hosts, and lets the hosts join.
  func register(_ count: Int, issuer path: String, folder: String) async throws {
    let issuer = try HostIssuer(pem: try RealmFile(path).read(isSecret: true), path: path)
    let authority = try CertificateFile.certificates(at: folder + "/authority.pem")
    for number in 0..<count {
      let name = Self.host(number)
      let request = try HostCertificateRequest()
      let draft = try issuer.draft(der: request.request)
      let certificates = try issuer.certificates(for: draft, host: name, days: Self.days)
      let registry = HostRegistry(store())
      let ticket = try registry.newTicket(
        for: Array(name.utf8), groups: [Array("load".utf8)], by: Self.actor)
      _ = try registry.join(ticket: ticket, certificate: draft.serial, by: Self.actor)
      let credentials = try await request.credentials(certificates, authority: authority)
      try RealmFile("\(folder)/\(name).pem").write(try credentials.pem())
    }
  }

  /// Enrols users.
  func enroll(_ count: Int) throws {
    for number in 0..<count {
      let account = Account(name: Array(Self.user(number).utf8), uid: 1000)
      let store = store()
      let entry = try store.entry(of: account, creating: true)
      let random = (0..<16).map { _ in UInt8.random(in: 0...255) }
      guard let id = FactorID(bytes: random), let name = DisplayName(Array("Phone".utf8)) else {
        return
      }
      var record = try entry.storedRecordOrNew()
      let attempts = entry.attempts.beginning(record)
      let secret = KnownFactor.secret
      let sealed = try entry.seal(
        secret.span, for: id, parameters: .standard, in: record)
      try record.add(
        Factor(
          id: id, displayName: name,
          enrolledAt: try Clock.now(),
          kind: .totp(.standard, sealedSecret: sealed)))
      let event = AuditLogEvent(
        .renamed, ids: Array("0a1b".utf8), detail: Array("phone".utf8), by: Self.actor,
        at: try Clock.now())
      _ = try entry.replace(
        record: record, attempts: attempts.keeping(record).adding(id, confirmedAt: 10),
        entering: event)
    }
  }
}
#endif
