import MFAAttempt
import MFAModel
import Testing

@testable import MFAAdmin

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
    let intervals: UInt8
    let tenant: String?
    let present: String?
    let expected: [String]
  }

  static let rows = [
    Row(
      intervals: 3, tenant: nil, present: nil,
      expected: ["[project]", "state = enabled", "adjacent_intervals = 3", "factors = totp"]),
    Row(
      intervals: 5, tenant: nil, present: "[project]\nadjacent_intervals = 3\n",
      expected: ["[project]", "state = enabled", "adjacent_intervals = 5", "factors = totp"]),
    Row(
      intervals: 1, tenant: "a", present: nil,
      expected: ["[tenant a]", "state = enabled", "adjacent_intervals = 1", "factors = totp"]),
    // Settings of other tenants are kept.
    Row(
      intervals: 1, tenant: "a",
      present: "[project]\nstate = disabled\n[tenant b]\nstate = observe\n",
      expected: [
        "[project]", "state = disabled", "[tenant b]", "state = observe", "[tenant a]",
        "state = enabled", "adjacent_intervals = 1", "factors = totp",
      ]),
    Row(
      intervals: 1, tenant: nil, present: "[tenant b]\nadjacent_intervals = 9\n",
      expected: [
        "[project]", "state = enabled", "adjacent_intervals = 1", "factors = totp", "[tenant b]",
        "adjacent_intervals = 9",
      ]),
    Row(
      intervals: 1, tenant: "b", present: "[tenant b]\nadjacent_intervals = 9\n",
      expected: ["[tenant b]", "state = enabled", "adjacent_intervals = 1", "factors = totp"]),
  ]

  @Test(arguments: rows) func writes(_ row: Row) throws {
    var texts = [Self.host]
    if let present = row.present { texts.append((Self.own, present)) }
    let file = try apply(row.intervals, tenant: row.tenant, texts)
    #expect(settings(file) == row.expected, "\(row)")
    // The written file can be read, and writing it again gives the same settings.
    let again = try apply(
      row.intervals, tenant: row.tenant,
      [Self.host, (Self.own, String(decoding: file.text, as: UTF8.self))])
    #expect(Set(settings(again)) == Set(row.expected), "\(row)")
    #expect(again.result.settings == file.result.settings, "\(row)")
  }

  @Test("the form of each section is kept until that section is applied again")
  func forms() throws {
    let outer = IdentityPlatformForm(root: .adminSDK, statePlace: .outer, intervals: .number)
    let quoted = IdentityPlatformForm(root: .rest, statePlace: .entry, intervals: .string)
    var texts = [Self.host]
    for (tenant, form) in [("a", outer), ("b", quoted), (nil, outer), ("b", .standard)] {
      let file = try apply(1, tenant: tenant, form: form, texts)
      texts = [Self.host, (Self.own, String(decoding: file.text, as: UTF8.self))]
      #expect(
        try IdentityPlatformFile.applied(
          tenant: tenant.map { Array($0.utf8) }, in: layers(texts))?.form == form)
    }
    #expect(
      texts[1].1.hasSuffix(
        """
        [project]
        # JSON form: Admin SDK, state beside providerConfigs, adjacentIntervals as number
        state = enabled
        adjacent_intervals = 1
        factors = totp

        [tenant a]
        # JSON form: Admin SDK, state beside providerConfigs, adjacentIntervals as number
        state = enabled
        adjacent_intervals = 1
        factors = totp

        [tenant b]
        state = enabled
        adjacent_intervals = 1
        factors = totp

        """), "\(texts[1].1)")
    #expect(try IdentityPlatformFile.applied(tenant: nil, in: layers([Self.host])) == nil)
  }

  /// Applies a JSON text, and returns the file.
  func apply(
    json: String, tenant: String? = nil, _ texts: [(String, String)]
  ) throws -> IdentityPlatformFile {
    try IdentityPlatformFile(
      IdentityPlatform(Array(json.utf8), isTenant: tenant != nil),
      tenant: tenant.map { Array($0.utf8) }, over: layers(texts))
  }

  /// Returns what `config show --json` prints, without white space.
  func shown(
    _ file: IdentityPlatformFile, tenant: String? = nil, _ texts: [(String, String)]
  ) throws -> String {
    let layers = layers(texts + [(Self.own, String(decoding: file.text, as: UTF8.self))])
    let section = file.result.tenants.first { $0.name == tenant.map { Array($0.utf8) } }
    return ConfigurationText(file.result).identityPlatform(
      section, try IdentityPlatformFile.applied(tenant: section?.name, in: layers)
    ).settings.json(isTenant: tenant != nil).text.filter { !$0.isWhitespace }
  }

  static let totp =
    #"{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":2}}]}"#
  static let numbers = #"""
    {"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]},"smsRegionConfig":{"allowlistOnly":\
    {"allowedRegions":["+33"]}},"signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":"123456"}}}}
    """#.replacing("\\\n", with: "")

  @Test("a body that enables TOTP allows its codes, whatever other files set")
  func totpIsAllowed() throws {
    let project = ("/etc/mfa/mfa.conf", "[project]\nfactors = phone\n[tenant a]\nusers=x\n")
    for tenant in [nil, "a"] {
      let json = "{\"\(tenant == nil ? "mfa" : "mfaConfig")\":\(Self.totp)}"
      let file = try apply(json: json, tenant: tenant, [project])
      let section = file.result.tenants.first { tenant != nil && $0.name == Array("a".utf8) }
      #expect(
        file.result.value(of: .factors, in: section).map { String(decoding: $0, as: UTF8.self) }
          == "totp")
      #expect(try shown(file, tenant: tenant, [project]) == json)
    }
  }

  @Test("the form is given back where other sections and files set keys about phones")
  func formAcrossSections() throws {
    let project = (
      "/etc/mfa/mfa.conf",
      "[project]\nfactors = totp, phone\nregions = +33\nphone_test_numbers = +15105551234=123456\n"
        + "[tenant a]\nusers=x\n"
    )
    for tenant in [nil, "a"] {
      let json = "{\"\(tenant == nil ? "mfa" : "mfaConfig")\":\(Self.totp)}"
      #expect(
        try shown(try apply(json: json, tenant: tenant, [project]), tenant: tenant, [project])
          == json)
    }
    // A later file that allows phones changes the values that are printed.
    let later = (Self.folder + "z.conf", "[project]\nfactors = totp, phone\n")
    let file = try apply(json: "{\"mfa\":\(Self.totp)}", [project, later])
    #expect(try shown(file, [project]).contains("\"enabledProviders\":[\"PHONE_SMS\"]"))
  }

  @Test("settings of phone numbers stay when a body without their members is applied")
  func numbersAreKept() throws {
    let first = try apply(json: Self.numbers, [Self.host])
    #expect(try shown(first, [Self.host]) == Self.numbers)
    let texts = [Self.host, (Self.own, String(decoding: first.text, as: UTF8.self))]
    let second = try apply(json: "{\"mfa\":\(Self.totp)}", texts)
    #expect(
      Set(settings(second)) == [
        "[project]", "state = enabled", "adjacent_intervals = 2", "factors = totp",
        "regions = +33", "phone_test_numbers = +15105551234=123456",
      ])
    #expect(try shown(second, [Self.host]).contains("smsRegionConfig"))
    // A body with one of the members replaces only that one.
    let third = try apply(
      json: Self.numbers.replacing(/,"signIn.*/, with: "}").replacing("+33", with: "+81"),
      [Self.host, (Self.own, String(decoding: second.text, as: UTF8.self))])
    #expect(settings(third).contains("regions = +81"))
    #expect(settings(third).contains("phone_test_numbers = +15105551234=123456"))
  }

  @Test(
    "settings that switch phones off without mentioning them are reported",
    arguments: [
      (1, "gateway = /g\n", totp, true), (2, "", totp, false),
      (3, "gateway = /g\nfactors = totp\n", totp, false),
      (4, "gateway = /g\nstate = disabled\n", totp, false),
      (5, "gateway = /g\nfactors = phone\n", totp.replacing("ENABLED", with: "DISABLED"), true),
      (
        6, "gateway = /g\n",
        totp.replacing("{\"providerC", with: "{\"enabledProviders\":[],\"providerC"), false
      ),
    ])
  func phonesSwitchedOff(_ number: Int, _ lines: String, _ body: String, _ isReported: Bool) throws
  {
    let host = ("/etc/mfa/mfa.conf", "[project]\n\(lines)[tenant a]\nusers = x\n")
    for tenant in [nil, "a"] {
      let json = "{\"\(tenant == nil ? "mfa" : "mfaConfig")\":\(body)}"
      let file = try apply(json: json, tenant: tenant, [host])
      #expect(file.switchesPhonesOff == isReported, "case \(number)")
    }
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
