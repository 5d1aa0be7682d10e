import MFAEtcdTestSupport
@testable import MFARealmStore
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

/// Clients and members authenticate each other, and `mfa-verifier check` finds where they do not.
@Suite("etcd security", .privateMachine)
struct EtcdSecurityTests {
  let realm: EtcdRealmFixture

  init() throws { realm = try EtcdRealmFixture() }

  private func message(_ configuration: EtcdConfiguration) throws -> String {
    let engine = EtcdEngine(configuration)
    #expect(throws: EngineError.unreachable) {
      try engine.load(EngineSample.key(), EngineContext())
    }
    return engine.lastMessage
  }

  @Test func otherAuthorityIsRefused() throws {
    var configuration = realm.configuration
    // The client's certificate is no authority.
    configuration.authority = configuration.certificate
    #expect(try message(configuration).contains("certificate"))
  }

  @Test func certificateOfAnotherAddressIsRefused() throws {
    var configuration = realm.configuration
    let port = ":2379"
    // The members listen on their own addresses only, so that the check of the name comes last.
    configuration.endpoints = configuration.endpoints.map {
      $0.split(separator: "/").last.map { "https://\($0.dropLast(port.count)).nip.invalid" } ?? $0
    }.map { $0 + port }
    #expect(try !message(configuration).isEmpty)
  }

  @Test func clientWithoutCertificateIsRefused() throws {
    var configuration = realm.configuration
    (configuration.certificate, configuration.key) = (nil, nil)
    _ = try message(configuration)
  }

  @Test func memberIsNotAskedWithoutTLS() throws {
    var configuration = realm.configuration
    configuration.endpoints = configuration.endpoints.map {
      "http" + $0.dropFirst("https".count)
    }
    #expect(try message(configuration).contains("protocol"))
  }

  @Test func nothingIsMissing() throws {
    #expect(realm.engine().checkCluster() == [])
  }

  @Test func findingsOfTheConfiguration() throws {
    var configuration = realm.configuration
    configuration.endpoints = [configuration.endpoints[0]]
    configuration.prefix.append(1)
    #expect(
      EtcdEngine(configuration).checkCluster() == [.membersWithoutEndpoint(2), .withoutRealm])
    let server = try FailingServer("broken")
    let plain = EtcdConfiguration(endpoints: [server.endpoint])
    let findings = EtcdEngine(plain).checkCluster()
    #expect(findings.first == .withoutTLS(endpoint: server.endpoint))
    #expect(
      findings.contains { if case .withoutQuorum = $0 { true } else { false } })
  }

  @Test func revisionsThatAreNeverRemovedAreFound() throws {
    let engine = realm.engine()
    for version in UInt64(0)..<6 {
      try engine.commit(version: version)
    }
    #expect(engine.checkCluster(keeping: 3) == [.notCompacted(revisions: 3)])
    #expect(engine.checkCluster(keeping: 1 << 40) == [])
  }
}
