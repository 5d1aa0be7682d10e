import MFAAttempt
import MFAModel
import Testing

@testable import MFAAdmin

/// What settings change that name only some types of factors, or that have an update mask.
@Suite struct IdentityPlatformChangeTests {
  static let own = "/etc/mfa/mfa.conf.d/50-identity-platform.conf"
  static let sdkPhone = "{multiFactorConfig: {state: 'ENABLED', factorIds: ['phone']}}"
  static let sdkTOTP = """
    {multiFactorConfig: {providerConfigs: [{state: 'ENABLED', totpProviderConfig: {adjacentIntervals: 3}}]}}
    """
  static let restPhone = #"{"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}}"#
  static let restTOTP = #"""
    {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":3}}]}}
    """#
  static let both = "state = enabled\nadjacent_intervals = 2\nfactors = totp, phone\n"

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    /// The lines of mfa.conf in `[project]`.
    var host = ""
    /// The lines of the drop-in in the section, or nil if there is no drop-in.
    var present: String?
    let body: String
    var mask: String?
    var tenant = false
    /// The lines of the section afterwards.
    let expected: String
    /// The types of factors that stay without being named.
    var unnamed: [String] = []
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    // An object of the Admin SDK changes the types that it names.
    Row(
      number: 1, present: "state = enabled\nadjacent_intervals = 2\nfactors = totp\n",
      body: sdkPhone,
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = totp, phone\n",
      unnamed: ["totp"]),
    Row(
      number: 2, present: "state = enabled\nfactors = phone\n", body: sdkTOTP,
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp, phone\n",
      unnamed: ["phone"]),
    Row(
      number: 3, body: sdkPhone, expected: "state = enabled\nfactors = totp, phone\n",
      unnamed: ["totp"]),
    // Nothing was set about phones, so they are not in use.
    Row(
      number: 4, body: sdkTOTP,
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp\n"),
    Row(
      number: 5, host: "gateway = /g\n", body: sdkTOTP,
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp, phone\n",
      unnamed: ["phone"]),
    Row(
      number: 6, present: both,
      body: "{multiFactorConfig: {state: 'DISABLED', factorIds: ['phone']}}",
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = totp\n", unnamed: ["totp"]),
    Row(
      number: 7, present: both, body: "{multiFactorConfig: {factorIds: []}}",
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = totp\n", unnamed: ["totp"]),
    Row(
      number: 8, present: both, body: sdkTOTP.replacing("ENABLED", with: "DISABLED"),
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = phone\n", unnamed: ["phone"]),
    // The state that another file sets is left to it.
    Row(
      number: 9, host: "state = observe\nfactors = totp, phone\n",
      body: sdkTOTP.replacing("ENABLED", with: "DISABLED"),
      expected: "adjacent_intervals = 3\nfactors = phone\n", unnamed: ["phone"]),
    // If the last type is removed, no code is asked for, and the section lists no types any more.
    Row(
      number: 10, present: "state = enabled\nfactors = phone\n",
      body: "{multiFactorConfig: {state: 'DISABLED', factorIds: ['phone']}}",
      expected: "state = disabled\n"),
    Row(
      number: 11, present: "state = disabled\n", body: sdkPhone,
      expected: "state = enabled\nfactors = phone\n"),
    // A state that an administrator switched off has types.
    Row(
      number: 12, present: "state = disabled\nfactors = totp, phone\n", body: sdkPhone,
      expected: "state = enabled\nfactors = totp, phone\n", unnamed: ["totp"]),
    Row(
      number: 13, host: "state = disabled\n", body: sdkPhone,
      expected: "state = enabled\nfactors = totp, phone\n", unnamed: ["totp"]),
    // A state alone is about all types.
    Row(
      number: 14, present: both, body: "{multiFactorConfig: {state: 'DISABLED'}}",
      expected: "state = disabled\nadjacent_intervals = 2\nfactors = totp, phone\n"),
    Row(
      number: 15, present: "state = disabled\nfactors = totp, phone\n",
      body: "{multiFactorConfig: {state: 'ENABLED'}}",
      expected: "state = enabled\nfactors = totp, phone\n"),
    Row(
      number: 16, present: "state = disabled\n", body: "{multiFactorConfig: {state: 'ENABLED'}}",
      expected: "state = enabled\nfactors = totp\n"),
    // A tenant inherits the types of the project.
    Row(
      number: 17, host: "factors = totp, phone\n", body: sdkTOTP, tenant: true,
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp, phone\n",
      unnamed: ["phone"]),
    Row(
      number: 18, host: "factors = totp\n", present: both, body: sdkPhone, tenant: true,
      expected: both, unnamed: ["totp"]),
    // The body of a REST call replaces the settings.
    Row(
      number: 19, present: both, body: restPhone,
      expected: "state = enabled\nadjacent_intervals = 5\nfactors = phone\n"),
    Row(
      number: 20, present: both, body: restTOTP,
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp\n"),
    Row(
      number: 21, present: both, body: restTOTP, mask: "updateMask=mfa",
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp\n"),
    // An update mask changes what it covers.
    Row(
      number: 22, present: "state = enabled\nadjacent_intervals = 2\nfactors = totp\n",
      body: restPhone, mask: "mfa.state,mfa.enabledProviders",
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = totp, phone\n",
      unnamed: ["totp"]),
    Row(
      number: 23, present: both, body: restTOTP, mask: "mfa.providerConfigs",
      expected: "state = enabled\nadjacent_intervals = 3\nfactors = totp, phone\n",
      unnamed: ["phone"]),
    Row(
      number: 24, present: both, body: #"{"mfa":{"state":"DISABLED"}}"#, mask: "mfa.state",
      expected: "state = disabled\nadjacent_intervals = 2\nfactors = totp, phone\n"),
    Row(
      number: 25, present: both, body: restPhone, mask: "mfa.provider_configs",
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = phone\n", unnamed: ["phone"]),
    Row(
      number: 26, present: both, body: "{}", mask: "mfa.enabledProviders",
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = totp\n", unnamed: ["totp"]),
    Row(
      number: 27, present: both, body: restPhone, mask: "mfa.state",
      expected: "state = enabled\nadjacent_intervals = 2\nfactors = totp, phone\n"),
    Row(
      number: 28, present: both + "regions = +33\nphone_test_numbers = +15105551234=123456\n",
      body: restPhone, mask: "smsRegionConfig",
      expected: both
        + "phone_test_numbers = +15105551234=123456\n"),
    Row(
      number: 29, present: both,
      body: #"""
        {"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["+81"]}}}
        """#, mask: "sms_region_config.allowlist_only", expected: both + "regions = +81\n"),
    Row(
      number: 30, present: both,
      body: #"""
        {"mfaConfig":{"state":"DISABLED","providerConfigs":[{"totpProviderConfig":{}}]}}
        """#, mask: "mfaConfig.state,mfaConfig.providerConfigs", tenant: true,
      expected: "state = disabled\nadjacent_intervals = 5\n"),
    Row(
      number: 31, present: both,
      body: #"""
        {"mfaConfig":{"enabledProviders":["PHONE_SMS"],"providerConfigs":[{"state":"DISABLED",\
        "totpProviderConfig":{}}]}}
        """#.replacing("\\\n", with: ""),
      mask: "mfaConfig.enabledProviders%2CmfaConfig.providerConfigs", tenant: true,
      expected: "state = enabled\nadjacent_intervals = 5\nfactors = phone\n"),
  ]

  @Test(arguments: rows) func changes(row: Row) throws {
    let header = row.tenant ? "[tenant a]\n" : "[project]\n"
    let host = "[project]\n\(row.host)[tenant a]\nusers = x\n"
    var layers = [
      ConfigurationFile.Layer(path: Array("/etc/mfa/mfa.conf".utf8), text: Array(host.utf8))
    ]
    if let present = row.present {
      layers.append(
        ConfigurationFile.Layer(path: Array(Self.own.utf8), text: Array((header + present).utf8)))
    }
    let settings = try IdentityPlatform(
      Array(row.body.utf8), isTenant: row.tenant,
      mask: try row.mask.map { try IdentityPlatformMask($0, isTenant: row.tenant) })
    let file = try IdentityPlatformFile(
      settings, tenant: row.tenant ? Array("a".utf8) : nil, over: layers)
    let lines = String(decoding: file.text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    #expect(lines.joined(separator: "\n") + "\n" == header + row.expected)
    #expect(file.unnamedTypes.map(\.name) == row.unnamed)
  }

  @Test("the form that was applied stays when an update mask covers only a part")
  func form() throws {
    let host = ConfigurationFile.Layer(
      path: Array("/etc/mfa/mfa.conf".utf8), text: Array("[project]\n".utf8))
    let first = try IdentityPlatformFile(
      IdentityPlatform(Array(Self.sdkTOTP.utf8), isTenant: false), tenant: nil, over: [host])
    let mask = try IdentityPlatformMask("mfa.state,mfa.enabledProviders", isTenant: false)
    let own = ConfigurationFile.Layer(path: Array(Self.own.utf8), text: first.text)
    let second = try IdentityPlatformFile(
      IdentityPlatform(Array(Self.restPhone.utf8), isTenant: false, mask: mask), tenant: nil,
      over: [host, own])
    let text = String(decoding: second.text, as: UTF8.self)
    #expect(text.contains("# JSON form: Admin SDK, state in providerConfigs"), "\(text)")
  }

  @Test("what is read in another way than it is written, or not read, is said")
  func notes() throws {
    func read(_ text: String, mask: String? = nil, isTenant: Bool = false) throws
      -> IdentityPlatform
    {
      try IdentityPlatform(
        Array(text.utf8), isTenant: isTenant,
        mask: try mask.map { try IdentityPlatformMask($0, isTenant: isTenant) })
    }
    let masked = try read(Self.restPhone, mask: "mfa.providerConfigs")
    #expect(
      masked.ignored == [
        "mfa.state, which the update mask does not cover",
        "mfa.enabledProviders, which the update mask does not cover",
      ])
    #expect(masked.notes == ["mfa.providerConfigs is missing, and is reset to an empty list"])
    #expect(
      try read("{}", mask: "mfa.state").notes == ["mfa.state is missing, and is reset to DISABLED"])
    for root in ["mfaConfig", "multiFactorConfig"] {
      let tenant = try read(
        "{\(root): {providerConfigs: [{totpProviderConfig: {adjacentIntervals: { 5 }}}]}}",
        isTenant: true)
      #expect(tenant.isEnabled == true && tenant.adjacentIntervals == 5)
      #expect(
        tenant.notes == [
          "read { 5 } as 5, the value of \(root).providerConfigs[0].totpProviderConfig.adjacentIntervals",
          "\(root).state is missing, and is taken as ENABLED",
        ])
    }
    #expect(
      try read(#"{"mfaConfig":{"enabledProviders":["PHONE_SMS"]}}"#, isTenant: true)
        .isPhoneEnabled == true)
    // An entry with a state of its own needs no other one.
    #expect(
      try read(
        #"{"mfaConfig":{"providerConfigs":[{"state":"DISABLED","totpProviderConfig":{}}]}}"#,
        isTenant: true
      ).notes.isEmpty)
  }

  static let masks: [(Int, String, Bool)] = [
    (1, "mfa.factorIds", false), (2, "", false), (3, "mfa,", false), (4, "mfaConfig", false),
    (5, "mfa", true), (6, "smsRegionConfig", true), (7, "mfa..state", false), (8, "*", false),
  ]

  @Test("a field that does not exist is refused with those that do", arguments: masks)
  func refusesFields(_ number: Int, _ mask: String, _ isTenant: Bool) {
    let error = #expect(throws: AdminError.self) {
      _ = try IdentityPlatformMask(mask, isTenant: isTenant)
    }
    #expect(error?.reason.hasPrefix("there is no field \"") == true)
    let root = isTenant ? "mfaConfig" : "mfa"
    #expect(error?.reason.contains("; the fields are \(root), \(root).state, ") == true)
  }

  @Test("an object of the Admin SDK has no update mask")
  func objectWithMask() throws {
    let mask = try IdentityPlatformMask("mfa", isTenant: false)
    let error = #expect(throws: AdminError.self) {
      _ = try IdentityPlatform(Array(Self.sdkPhone.utf8), isTenant: false, mask: mask)
    }
    #expect(error?.member.hasSuffix("leave --update-mask out") == true)
  }

  /// Values as the documents print them, with what they become or why they are refused.
  static let placeholders: [(Int, String, UInt8?, String)] = [
    (1, "{ 5 }", 5, "read { 5 } as 5, "), (2, "{5}", 5, "read { 5 } as 5, "),
    (3, #"{ "5" }"#, 5, #"read { "5" } as "5", "#),
    (4, "{ '5' /* steps */ }", 5, "read { '5' } as"),
    (5, "{ N }", nil, "has N as the value of adjacentIntervals; replace it with a whole number"),
    (6, "{NUM_ADJ_INTERVALS}", nil, "has NUM_ADJ_INTERVALS as the value of adjacentIntervals"),
    (7, #""NUM_ADJ_INTERVALS""#, nil, #"must be a whole number from 0 to 10, not "NUM_ADJ"#),
    (8, "{ 11 }", nil, "must be a whole number from 0 to 10, not 11"),
    (9, "{}", nil, "must be a whole number from 0 to 10, not an object"),
    (10, "{ 5: 5 }", nil, "must be a whole number from 0 to 10, not an object"),
    (11, "{ 5, 6 }", nil, "there must be a colon"), (12, "{ { 5 } }", nil, "there must be a name"),
    (13, "{ 5", nil, "there must be a comma"), (14, "{ 5 } }", nil, "there must be"),
  ]

  @Test(
    "braces around a value are left out with a note, and placeholders are refused",
    arguments: placeholders)
  func replacesPlaceholders(_ number: Int, _ value: String, _ expected: UInt8?, _ text: String) {
    let body = Self.restTOTP.replacing(":3}", with: ":\(value)}")
    do throws(AdminError) {
      let settings = try IdentityPlatform(Array(body.utf8), isTenant: false)
      #expect(settings.adjacentIntervals == expected)
      #expect(settings.notes.count == 1 && settings.notes[0].hasPrefix(text), "\(settings.notes)")
    } catch {
      #expect(expected == nil && error.member.contains(text), "\(error.member)")
    }
  }

  @Test(
    "a choice that the documents print is refused with what to write",
    arguments: [
      (1, "ENABLED | DISABLED", "has ENABLED | DISABLED as the value of state; replace it with"),
      (2, "ENABLED|DISABLED", "has ENABLED|DISABLED as the value of state; replace it with"),
      (3, #""ENABLED|DISABLED""#, #"must be "ENABLED" or "DISABLED", not "ENABLED|DISABLED""#),
      (4, #""ENABLED" | "DISABLED""#, "has | between values of which one has to stay"),
    ])
  func refusesChoices(_ number: Int, _ value: String, _ text: String) {
    let body = Self.restTOTP.replacing(#""ENABLED""#, with: value)
    let error = #expect(throws: AdminError.self) {
      _ = try IdentityPlatform(Array(body.utf8), isTenant: false)
    }
    #expect(error?.member.contains(text) == true, "\(error?.member ?? "")")
  }
}
