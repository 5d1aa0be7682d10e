import MFAModel
import Testing

@testable import MFAAdmin

/// The bodies and objects of the Identity Platform documents, as an administrator copies them.
@Suite struct IdentityPlatformFormTests {
  func read(_ text: String, isTenant: Bool) throws -> IdentityPlatform {
    try IdentityPlatform(Array(text.utf8), isTenant: isTenant)
  }

  struct Row: Sendable {
    let isTenant: Bool
    let text: String
    let isEnabled: Bool
    let intervals: UInt8
    /// What `config show --json` prints, without white space.
    let shown: String
  }

  static let sdkProject = """
    {
          multiFactorConfig: {
              providerConfigs: [{
                  state: "ENABLED",
                  totpProviderConfig: {
                      adjacentIntervals: 3
                  }
              }]
          }
    }
    """

  static let rows: [Row] = [
    Row(
      isTenant: false,
      text: """
        {
            "mfa": {
              "providerConfigs": [{
                "state": "ENABLED",
                "totpProviderConfig": {
                  "adjacentIntervals": 5
                }
             }]
           }
        }
        """, isEnabled: true, intervals: 5,
      shown: #"""
        {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}
        """#),
    Row(
      isTenant: false,
      text: #"""
        {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":"5"}}]}}
        """#, isEnabled: true, intervals: 5,
      shown: #"""
        {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":"5"}}]}}
        """#),
    Row(
      isTenant: true,
      text: #"""
        {"mfaConfig":{"state":"ENABLED","providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":2}}]}}
        """#, isEnabled: true, intervals: 2,
      shown: #"""
        {"mfaConfig":{"state":"ENABLED","providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":2}}]}}
        """#),
    Row(
      isTenant: true,
      text: #"{"mfaConfig":{"state":"DISABLED","providerConfigs":[{"totpProviderConfig":{}}]}}"#,
      isEnabled: false, intervals: 5,
      shown: #"{"mfaConfig":{"state":"DISABLED","providerConfigs":[{"totpProviderConfig":{}}]}}"#),
    Row(
      isTenant: false, text: sdkProject, isEnabled: true, intervals: 3,
      shown: #"""
        {"multiFactorConfig":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":3}}]}}
        """#),
    Row(
      isTenant: true,
      text: """
        {
          multiFactorConfig: {
            state: 'ENABLED', // for all users of the tenant
            providerConfigs: [{
              totpProviderConfig: {
                adjacentIntervals: 5,
              },
            }],
          },
        }
        """, isEnabled: true, intervals: 5,
      shown: #"""
        {"multiFactorConfig":{"state":"ENABLED","providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":5}}]}}
        """#),
    Row(
      isTenant: true,
      text: "{multiFactorConfig: {state: 'DISABLED', totpProviderConfig: {adjacentIntervals: 0}}}",
      isEnabled: false, intervals: 0,
      shown: #"""
        {"multiFactorConfig":{"state":"DISABLED","totpProviderConfig":{"adjacentIntervals":0}}}
        """#),
    Row(
      isTenant: true, text: "{multiFactorConfig: {state: 'ENABLED'}}", isEnabled: true,
      intervals: 5, shown: #"{"multiFactorConfig":{"state":"ENABLED"}}"#),
    Row(
      isTenant: false,
      text: """
        {multiFactorConfig: {state: 'ENABLED', providerConfigs: [{
          state: 'ENABLED', totpProviderConfig: {adjacentIntervals: 1}}]}}
        """, isEnabled: true, intervals: 1,
      shown: #"""
        {"multiFactorConfig":{"state":"ENABLED","providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":1}}]}}
        """#),
    // What a REST call returns for a tenant without factors.
    Row(
      isTenant: true, text: #"{"mfaConfig":{"state":"DISABLED","providerConfigs":[]}}"#,
      isEnabled: false, intervals: 5,
      shown: #"{"mfaConfig":{"state":"DISABLED","providerConfigs":[]}}"#),
    Row(
      isTenant: false,
      text: "{mfa: {state: 'DISABLED', enabledProviders: [], providerConfigs: []}}",
      isEnabled: false, intervals: 5,
      shown: #"{"mfa":{"state":"DISABLED","enabledProviders":[],"providerConfigs":[]}}"#),
  ]

  @Test(arguments: rows) func isReadAndPrintedInTheSameForm(_ row: Row) throws {
    let settings = try read(row.text, isTenant: row.isTenant)
    #expect(settings.isEnabled == row.isEnabled, "\(row)")
    #expect(settings.adjacentIntervals == row.intervals, "\(row)")
    #expect(settings.ignored.isEmpty, "\(row)")
    let printed = settings.json(isTenant: row.isTenant).text
    #expect(printed.filter { !$0.isWhitespace } == row.shown, "\(row)")
    #expect(
      try read(printed, isTenant: row.isTenant).json(isTenant: row.isTenant).text == printed,
      "\(row)")
  }

  struct PhoneRow: Sendable {
    let isTenant: Bool
    let text: String
    /// The section of mfa.conf, without its header.
    let section: String
  }

  static let phoneRows: [PhoneRow] = [
    PhoneRow(
      isTenant: false,
      text: #"{"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}}"#,
      section: "state = enabled\nadjacent_intervals = 5\nfactors = phone\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"],"providerConfigs":[{"state":\
        "ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nadjacent_intervals = 5\nfactors = totp, phone\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"mfa":{"state":"DISABLED","enabledProviders":["PHONE_SMS"],"providerConfigs":[{"state":\
        "ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nadjacent_intervals = 5\nfactors = totp\n"),
    PhoneRow(
      isTenant: true,
      text: #"""
        {"mfaConfig":{"state":"ENABLED","enabledProviders":["PHONE_SMS"],"providerConfigs":[{\
        "totpProviderConfig":{"adjacentIntervals":"2"}}]}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nadjacent_intervals = 2\nfactors = totp, phone\n"),
    PhoneRow(
      isTenant: true,
      text: #"{"multiFactorConfig":{"state":"DISABLED","factorIds":["phone"]}}"#,
      section: "state = disabled\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"multiFactorConfig":{"state":"ENABLED","factorIds":["phone"]},"smsRegionConfig":{\
        "allowlistOnly":{"allowedRegions":["+33","+81"]}},"testPhoneNumbers":{\
        "+15105551234":"123456"}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nfactors = phone\nregions = +33, +81\n"
        + "phone_test_numbers = +15105551234=123456\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]},"signIn":{"phoneNumber":{\
        "testPhoneNumbers":{"+15105551234":"123456","+15105551235":"654321"}}}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nadjacent_intervals = 5\nfactors = phone\n"
        + "phone_test_numbers = +15105551234=123456, +15105551235=654321\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"mfa":{"enabledProviders":[],"providerConfigs":[{"state":"ENABLED",\
        "totpProviderConfig":{"adjacentIntervals":5}}]}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nadjacent_intervals = 5\nfactors = totp\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"],"providerConfigs":[]}}
        """#,
      section: "state = enabled\nadjacent_intervals = 5\nfactors = phone\n"),
    // Without a list, text messages are switched off, as a body replaces the settings in
    // Identity Platform.
    PhoneRow(
      isTenant: true,
      text: #"""
        {"mfaConfig":{"state":"ENABLED","providerConfigs":[{"totpProviderConfig":{\
        "adjacentIntervals":2}}]}}
        """#.replacing("\\\n", with: ""),
      section: "state = enabled\nadjacent_intervals = 2\nfactors = totp\n"),
    PhoneRow(
      isTenant: false,
      text: #"""
        {"mfa":{"providerConfigs":[{"state":"DISABLED","totpProviderConfig":{\
        "adjacentIntervals":2}}]}}
        """#.replacing("\\\n", with: ""),
      section: "state = disabled\nadjacent_intervals = 2\n"),
  ]

  @Test(
    "settings of text messages become settings of mfa.conf, and are printed in the same form",
    arguments: phoneRows)
  func textMessages(row: PhoneRow) throws {
    let settings = try read(row.text, isTenant: row.isTenant)
    #expect(settings.ignored.isEmpty, "\(row)")
    let section = String(
      decoding: settings.section(tenant: row.isTenant ? Array("a".utf8) : nil), as: UTF8.self)
    let header = row.isTenant ? "[tenant a]\n" : "[project]\n"
    #expect(section == header + row.section, "\(row)")
    let printed = settings.json(isTenant: row.isTenant).text
    #expect(
      printed.filter { !$0.isWhitespace } == row.text.filter { !$0.isWhitespace }, "\(row)")
    // The configuration gives the same form back.
    let text = Array((section + (row.isTenant ? "users = x\n" : "")).utf8)
    let configuration = try Configuration.parse(text.span)
    let applied = AppliedSection(
      ConfigurationLines.header(configuration.tenants.first?.name), in: text,
      form: settings.form)
    let shown = ConfigurationText(configuration).identityPlatform(
      configuration.tenants.first, applied
    ).settings
    #expect(shown.json(isTenant: row.isTenant).text == printed, "\(row)")
  }

  @Test("without adjacentIntervals, the section sets the default of Identity Platform")
  func defaultIntervals() throws {
    let settings = try read(
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}}]}}"#,
      isTenant: false)
    #expect(
      String(decoding: settings.section(tenant: nil), as: UTF8.self)
        == "[project]\nstate = enabled\nadjacent_intervals = 5\nfactors = totp\n")
  }

  @Test func everyFormReadsBackEqual() throws {
    for form in IdentityPlatformForm.all {
      for isTenant in [false, true] {
        for intervals: UInt8 in [0, 5, 10] where form.intervals != .absent || intervals == 5 {
          for isEnabled in Self.states(of: form) {
            let phones: [Bool?] =
              switch form.textMessages {
              case .absent: [nil]
              case .empty: [false]
              // One state is about both.
              case .listed where [.outer, .withoutEntries].contains(form.statePlace):
                [
                  isEnabled == true
                ]
              case .listed: [false, true]
              }
            for phone in phones {
              try check(
                IdentityPlatform(
                  isEnabled: isEnabled, adjacentIntervals: intervals, form: form,
                  phone: IdentityPlatform.Phone(isEnabled: phone)), isTenant)
            }
          }
        }
      }
    }
  }

  /// Whether TOTP can be enabled in a form.
  private static func states(of form: IdentityPlatformForm) -> [Bool?] {
    switch form.statePlace {
    // An object of the Admin SDK with a list does not mention TOTP.
    case .noEntry where form.root == .adminSDK && form.textMessages != .absent: [nil]
    case .emptyEntries: [false]
    case .noEntry where form.textMessages == .listed: [false]
    case .entry, .outer, .both, .withoutEntries, .noEntry: [false, true]
    }
  }

  @Test("a form without a number is left where a file sets another number")
  func otherNumber() throws {
    for form in IdentityPlatformForm.all where form.intervals == .absent {
      let settings = IdentityPlatform(
        isEnabled: Self.states(of: form).last ?? nil, adjacentIntervals: 3, form: form,
        phone: IdentityPlatform.Phone(isEnabled: form.textMessages == .absent ? nil : false))
      let printed = settings.json(isTenant: false).text
      #expect(try read(printed, isTenant: false).adjacentIntervals == 3, "\(printed)")
    }
  }

  private func check(_ settings: IdentityPlatform, _ isTenant: Bool) throws {
    let printed = settings.json(isTenant: isTenant).text
    #expect(try read(printed, isTenant: isTenant) == settings, "\(printed)")
  }

  @Test func formIsRecordedOncePerSection() throws {
    for form in IdentityPlatformForm.all {
      let header = ConfigurationLines.header(Array("a-b".utf8))
      let text = Array("# x\n\n[project]\nstate = enabled\n\n[tenant a-b]\nstate = enabled\n".utf8)
      let recorded = IdentityPlatformForm.recording([header: form], in: text)
      #expect(IdentityPlatformForm.recorded(in: recorded)[header] ?? .standard == form)
      #expect(IdentityPlatformForm.recorded(in: recorded)[Array("[project]".utf8)] == nil)
      #expect((recorded == text) == (form == .standard))
      _ = try Configuration.parse((recorded + Array("users = x\n".utf8)).span)
    }
  }

  /// Values of `adjacentIntervals`, and those that they stand for.
  static let numbers: [(Int, String, UInt8?)] = [
    (1, "5", 5), (2, #""5""#, 5), (3, "0", 0), (4, #""0""#, 0), (5, "10", 10), (6, #""10""#, 10),
    // The same numbers in other notations of JSON.
    (7, "5.0", 5), (8, "5e0", 5), (9, "0.5e1", 5), (10, "-0", 0),
    (11, "11", nil), (12, #""11""#, nil), (13, "-1", nil), (14, #""-1""#, nil),
    (15, #""05""#, nil), (16, #"" 5""#, nil), (17, #""5 ""#, nil), (18, #""+5""#, nil),
    (19, #""5.0""#, nil), (20, #""5e0""#, nil), (21, #""-0""#, nil), (22, #""""#, nil),
    (23, #""five""#, nil), (24, "null", nil), (25, "true", nil), (26, "[5]", nil), (27, "{}", nil),
    (28, "9223372036854775807", nil), (29, #""256""#, nil), (30, "\"\u{665}\"", nil),
    (31, "5.5", nil), (32, "1e400", nil),
    (33, "1e30", nil),
  ]

  @Test(arguments: numbers) func readsNumbers(_ number: Int, _ value: String, _ expected: UInt8?)
    throws
  {
    let text = """
      {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{\
      "adjacentIntervals":\(value)}}]}}
      """
    guard let expected else {
      let refusal = #expect(throws: AdminError.self, "case \(number)") {
        _ = try read(text, isTenant: false)
      }
      return #expect(
        refusal?.member.hasPrefix(
          "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number "
            + "from 0 to 10, not ") == true, "case \(number)")
    }
    #expect(try read(text, isTenant: false).adjacentIntervals == expected, "case \(number)")
  }

  @Test("the forms in the manual are accepted, and are those that are tested here")
  func manual() throws {
    let manual = ConfigurationTemplateTests.file("packaging/man/mfa-admin.8")
      .replacing("\\-", with: "-")
    var shown: [String] = []
    for block in manual.matches(of: /\n\.EX\n(\{[\s\S]*?)\n\.EE\n/) {
      let text = String(block.output.1)
      // The manual shows a project, then a tenant, twice each.
      let isTenant = shown.count >= 2
      let settings = try read(text, isTenant: isTenant)
      #expect(
        settings.isEnabled == true && settings.adjacentIntervals == 5 && settings.ignored.isEmpty)
      shown.append(settings.json(isTenant: isTenant).text.filter { !$0.isWhitespace })
    }
    let tested = Self.rows.map { $0.shown.replacing(/[0-9]+/, with: "5") }
    #expect(shown.count == 4)
    #expect(shown.allSatisfy { tested.contains($0) }, "\(shown)")
  }
}
