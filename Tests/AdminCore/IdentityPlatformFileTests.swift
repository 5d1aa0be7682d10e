import MFAConfiguration
import MFAPolicy
import Testing

@testable import MFAAdminCore

/// The drop-in that `mfa-admin config apply` writes, given the existing files.
@Suite struct IdentityPlatformFileTests {
  typealias Layer = ConfigurationFile.Layer

  static let folder = "/etc/mfa/mfa.conf.d/"
  static let own = folder + "50-identity-platform.conf"

  func layers(_ texts: [(String, String)]) -> [Layer] {
    texts.map { Layer(path: Array($0.0.utf8), text: Array($0.1.utf8)) }
  }

  func apply(
    _ intervals: UInt8, tenant: String? = nil, form: IdentityPlatformForm = .standard,
    _ texts: [(String, String)]
  ) throws -> IdentityPlatformFile {
    try IdentityPlatformFile(
      IdentityPlatform(isEnabled: true, adjacentIntervals: intervals, form: form),
      tenant: tenant.map { Array($0.utf8) }, over: layers(texts))
  }

  /// Returns the lines that are not comments.
  func settings(_ file: IdentityPlatformFile) -> [String] {
    String(decoding: file.text, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  static let host = ("/etc/mfa/mfa.conf", "[project]\n[tenant a]\nusers=x\n[tenant b]\nusers=y\n")

  struct Row: Sendable {
    let number: Int
    let intervals: UInt8
    let tenant: String?
    let present: String?
    let expected: [String]
  }

  static let rows = [
    Row(
      number: 1, intervals: 3, tenant: nil, present: nil,
      expected: ["[project]", "state = enabled", "adjacent_intervals = 3"]),
    Row(
      number: 2, intervals: 5, tenant: nil, present: "[project]\nadjacent_intervals = 3\n",
      expected: ["[project]", "state = enabled", "adjacent_intervals = 5"]),
    Row(
      number: 3, intervals: 1, tenant: "a", present: nil,
      expected: ["[tenant a]", "state = enabled", "adjacent_intervals = 1"]),
    // Settings of other tenants are kept.
    Row(
      number: 4, intervals: 1, tenant: "a",
      present: "[project]\nstate = disabled\n[tenant b]\nstate = observe\n",
      expected: [
        "[project]", "state = disabled", "[tenant b]", "state = observe", "[tenant a]",
        "state = enabled", "adjacent_intervals = 1",
      ]),
    Row(
      number: 5, intervals: 1, tenant: nil, present: "[tenant b]\nadjacent_intervals = 9\n",
      expected: [
        "[project]", "state = enabled", "adjacent_intervals = 1", "[tenant b]",
        "adjacent_intervals = 9",
      ]),
    Row(
      number: 6, intervals: 1, tenant: "b", present: "[tenant b]\nadjacent_intervals = 9\n",
      expected: ["[tenant b]", "state = enabled", "adjacent_intervals = 1"]),
  ]

  @Test(arguments: rows) func writes(_ row: Row) throws {
    var texts = [Self.host]
    if let present = row.present { texts.append((Self.own, present)) }
    let file = try apply(row.intervals, tenant: row.tenant, texts)
    #expect(settings(file) == row.expected, "row \(row.number)")
    // The written file can be read, and writing it again gives the same settings.
    let again = try apply(
      row.intervals, tenant: row.tenant,
      [Self.host, (Self.own, String(decoding: file.text, as: UTF8.self))])
    #expect(Set(settings(again)) == Set(row.expected), "row \(row.number)")
    #expect(again.result.settings == file.result.settings, "row \(row.number)")
  }

  @Test("the form of each section is kept until that section is applied again")
  func forms() throws {
    let outer = IdentityPlatformForm(root: .adminSDK, statePlace: .outer, isQuoted: false)
    let quoted = IdentityPlatformForm(root: .rest, statePlace: .entry, isQuoted: true)
    var texts = [Self.host]
    for (tenant, form) in [("a", outer), ("b", quoted), (nil, outer), ("b", .standard)] {
      let file = try apply(1, tenant: tenant, form: form, texts)
      texts = [Self.host, (Self.own, String(decoding: file.text, as: UTF8.self))]
      #expect(
        IdentityPlatformFile.form(ofTenant: tenant.map { Array($0.utf8) }, in: layers(texts))
          == form)
    }
    #expect(
      texts[1].1.hasSuffix(
        """
        [project]
        # JSON form: Admin SDK, state beside providerConfigs, adjacentIntervals as number
        state = enabled
        adjacent_intervals = 1

        [tenant a]
        # JSON form: Admin SDK, state beside providerConfigs, adjacentIntervals as number
        state = enabled
        adjacent_intervals = 1

        [tenant b]
        state = enabled
        adjacent_intervals = 1

        """), "\(texts[1].1)")
    #expect(IdentityPlatformFile.form(ofTenant: nil, in: layers([Self.host])) == .standard)
  }

  @Test func unknownTenantIsRefused() throws {
    let error = #expect(throws: AdminError.self) { _ = try apply(1, tenant: "c", [Self.host]) }
    #expect(error?.message.contains("tenant \"c\" selects no sign-ins") == true)
    #expect(error?.hint.contains("selectors") == true)
  }

  @Test func contradictoryResultIsRefused() throws {
    let late = (Self.folder + "60.conf", "[project]\nthrottle_first_wait = 16m\n")
    let error = #expect(throws: AdminError.self) { _ = try apply(1, [Self.host, late]) }
    #expect(error?.message.contains("60.conf:2: ") == true)
  }

  @Test func invalidDropInIsRefused() throws {
    let error = #expect(throws: AdminError.self) {
      _ = try apply(1, [Self.host, (Self.own, "[project]\nstate = on\n")])
    }
    #expect(error?.message.contains("50-identity-platform.conf:2: ") == true)
  }

  @Test(
    "files with later names take precedence, whatever their order",
    arguments: [
      (1, "40.conf", false), (2, "5.conf", false), (3, "50.conf", true), (4, "60.conf", true),
      (5, "50-a.conf", false), (6, "a.conf", true),
    ])
  func order(_ number: Int, _ name: String, _ isLater: Bool) throws {
    for present in [[], [(Self.own, "[project]\n")]] {
      let other = (Self.folder + name, "[project]\nadjacent_intervals = 9\n")
      let texts = isLater ? present + [other] : [other] + present
      let file = try apply(1, [Self.host] + texts)
      #expect(file.result.project.adjacentIntervals == (isLater ? 9 : 1), "row \(number)")
      let overruled = file.overruled(tenant: nil).map { "\($0.key)" }
      #expect(overruled == (isLater ? ["adjacentIntervals"] : []), "row \(number)")
    }
  }
}

extension Configuration {
  /// The project's settings, without tenants.
  fileprivate var settings: Settings { project }
}
