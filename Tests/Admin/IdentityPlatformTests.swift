import MFAAdminTestSupport
import MFAModel
import Testing

@testable import MFAAdmin

@Suite struct IdentityPlatformTests {
  func read(_ text: String, isTenant: Bool = false) throws -> IdentityPlatform {
    try IdentityPlatform(Array(text.utf8), isTenant: isTenant)
  }

  /// Returns a project's JSON with these elements of `providerConfigs` and these additional
  /// members.
  static func project(_ providers: String, _ others: String = "") -> String {
    "{\"mfa\":{\(others)\"providerConfigs\":[\(providers)]}}"
  }

  static let totp = #"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}"#

  static let accepted: [(Int, String, Bool, UInt8, [String])] = [
    (1, project(totp), true, 5, []),
    (2, project(#"{"state":"DISABLED","totpProviderConfig":{}}"#), false, 5, []),
    (3, project(#"{"totpProviderConfig":{"adjacentIntervals":0},"state":"ENABLED"}"#), true, 0, []),
    (
      4, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":10}}"#), true, 10,
      []
    ),
    (
      5, project(totp + #",{"state":"DISABLED","otherProviderConfig":{"a":1}}"#), true, 5,
      ["mfa.providerConfigs[1].otherProviderConfig, which is disabled"]
    ),
    (
      6, project(totp, #""state":"DISABLED","enabledProviders":["PHONE_SMS"],"#), true, 5, []
    ),
    (
      7, project(totp, #""state":"ENABLED","enabledProviders":[],"#), true, 5, []
    ),
    (
      8, project(#"{"state":"DISABLED","totpProviderConfig":{}}"#, #""state":"ENABLED","#), false,
      5, ["mfa.state, because mfa.providerConfigs[0] has a state of its own"]
    ),
    (
      9, project(#"{"otherProviderConfig":{}},{"totpProviderConfig":{}}"#, #""state":"DISABLED","#),
      false, 5, ["mfa.providerConfigs[0].otherProviderConfig, which is disabled"]
    ),
    (
      10,
      "{multiFactorConfig: {state: 'DISABLED', factorIds: ['phone'], providerConfigs: [\(totp)]}}",
      true, 5, []
    ),
  ]

  @Test(arguments: accepted)
  func reads(
    _ number: Int, _ text: String, _ isEnabled: Bool, _ intervals: UInt8, _ ignored: [String]
  ) throws {
    let settings = try read(text)
    #expect(settings.isEnabled == isEnabled, "case \(number)")
    #expect(settings.adjacentIntervals == intervals, "case \(number)")
    #expect(settings.ignored == ignored, "case \(number)")
  }

  /// MUST 1.
  static let refused: [(Int, String, String)] = [
    (1, "[]", "the text: must be an object, not an array"),
    (2, "{}", "mfa: is missing; add it, or multiFactorConfig"),
    (
      3, #"{"mfaConfig":{}}"#,
      "mfaConfig: is the member of a tenant; add --tenant, or write mfa"
    ),
    (
      4, #"{"mfa":{},"signin":{}}"#,
      "signin: there is no such member; the members here are mfa, multiFactorConfig, "
        + "smsRegionConfig, testPhoneNumbers, signIn"
    ),
    (5, #"{"mfa":null}"#, "mfa: must be an object, not null"),
    (
      6, #"{"mfa":{}}"#,
      "mfa.providerConfigs: is missing; add it, with an entry that has totpProviderConfig"
    ),
    (7, #"{"mfa":{"providerConfigs":{}}}"#, "mfa.providerConfigs: must be an array, not an object"),
    (
      8, project(""),
      "mfa.providerConfigs: no entry has a totpProviderConfig; add it"
    ),
    (
      9, project(totp, #""grace":1,"#),
      "mfa.grace: there is no such member; the members here are state, enabledProviders, "
        + "providerConfigs"
    ),
    (10, project("1"), "mfa.providerConfigs[0]: must be an object, not 1"),
    (
      11, project(#"{"totpProviderConfig":{}}"#),
      "mfa.providerConfigs[0].state: is missing; add it, or mfa.state, with \"ENABLED\" or "
        + "\"DISABLED\""
    ),
    (
      12, project(#"{"state":"MANDATORY","totpProviderConfig":{}}"#),
      "mfa.providerConfigs[0].state: must be \"ENABLED\" or \"DISABLED\", not \"MANDATORY\"; "
        + "to require enrolment, set enrollment = required in mfa.conf instead"
    ),
    (
      13, project(#"{"state":"enabled","totpProviderConfig":{}}"#),
      "mfa.providerConfigs[0].state: must be \"ENABLED\" or \"DISABLED\", not \"enabled\""
    ),
    (
      14, project(#"{"state":true,"totpProviderConfig":{}}"#),
      "mfa.providerConfigs[0].state: must be \"ENABLED\" or \"DISABLED\", not true"
    ),
    (
      15, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":11}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number from 0 "
        + "to 10, not 11"
    ),
    (
      16, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":-1}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number from 0 "
        + "to 10, not -1"
    ),
    (
      17, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":true}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number from 0 "
        + "to 10, not true"
    ),
    (
      18, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":"05"}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number from 0 "
        + "to 10, not \"05\""
    ),
    (
      19, project(#"{"state":"ENABLED","totpProviderConfig":{"digits":6}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.digits: there is no such member; the members here "
        + "are adjacentIntervals"
    ),
    (
      20, project(#"{"state":"ENABLED","totpProviderConfig":{},"note":1}"#),
      "mfa.providerConfigs[0].note: there is no such member; the members here are state, "
        + "totpProviderConfig"
    ),
    (
      21, project(totp + "," + totp),
      "mfa.providerConfigs[1]: totpProviderConfig appears twice; remove one of the two"
    ),
    (
      22, project(totp + #",{"state":"ENABLED","otherProviderConfig":{}}"#),
      "mfa.providerConfigs[1].otherProviderConfig: this provider is enabled, but only "
        + "totpProviderConfig is supported"
    ),
    (
      23, project(totp + #",{"state":"DISABLED"}"#),
      "mfa.providerConfigs[1]: it names no provider; add totpProviderConfig"
    ),
    (
      24, project(totp + #",{"state":"DISABLED","note":1}"#),
      "mfa.providerConfigs[1].note: there is no such member; the members here are state, "
        + "totpProviderConfig"
    ),
    (
      25, project(totp, #""enabledProviders":["PHONE_SMS"],"#),
      "mfa.state: is missing; add it, with \"ENABLED\" or \"DISABLED\""
    ),
    (
      26, project(totp, #""state":"MANDATORY","#),
      "mfa.state: must be \"ENABLED\" or \"DISABLED\", not \"MANDATORY\"; to require enrolment, "
        + "set enrollment = required in mfa.conf instead"
    ),
    (
      27, project(totp, #""state":"STATE_UNSPECIFIED","#),
      "mfa.state: must be \"ENABLED\" or \"DISABLED\", not \"STATE_UNSPECIFIED\""
    ),
    (
      28, project(totp, #""state":null,"#),
      "mfa.state: must be \"ENABLED\" or \"DISABLED\", not null"
    ),
    (
      29, project(totp, #""state":"DISABLED","enabledProviders":["FAX"],"#),
      "mfa.enabledProviders[0]: must be \"PHONE_SMS\", not \"FAX\""
    ),
    (
      30, "{multiFactorConfig: {state: 'ENABLED', factorIds: ['sms'], providerConfigs: []}}",
      "multiFactorConfig.factorIds[0]: must be \"phone\", not \"sms\""
    ),
    (
      31, "{multiFactorConfig: {state: 'ENABLED', enabledProviders: []}}",
      "multiFactorConfig.enabledProviders: there is no such member; the members here are state, "
        + "factorIds, providerConfigs, totpProviderConfig"
    ),
    (
      32, "{mfa: {provider_configs: []}}",
      "mfa.provider_configs: there is no such member; write providerConfigs"
    ),
    (
      33, project(#"{"state":"ENABLED","totp_provider_config":{}}"#),
      "mfa.providerConfigs[0].totp_provider_config: there is no such member; write "
        + "totpProviderConfig"
    ),
    (
      34, "{mfa: {}, multiFactorConfig: {}}",
      "multiFactorConfig: there is also mfa; remove one of the two"
    ),
    (
      35, "{multiFactorConfig: {state: 'ENABLED', providerConfigs: [], totpProviderConfig: {}}}",
      "multiFactorConfig.totpProviderConfig: there is also providerConfigs; remove one of the two"
    ),
    (
      36, "{multiFactorConfig: {totpProviderConfig: {}}}",
      "multiFactorConfig.state: is missing; add it, with \"ENABLED\" or \"DISABLED\""
    ),
    (
      37, "{mfa: {state: 'ENABLED', providerConfigs: []}}",
      "mfa.providerConfigs: no entry has a totpProviderConfig; add it"
    ),
    (
      38, "{mfa: {state: 'ENABLED', totpProviderConfig: {}}}",
      "mfa.totpProviderConfig: there is no such member; the members here are state, "
        + "enabledProviders, providerConfigs"
    ),
    (
      39, project(totp, #""state":"ENABLED","state":"ENABLED","#),
      "has the member mfa.state twice; remove one of the two (line 1, column 27)"
    ),
    (
      40, project(#"{"state":"ENABLED","totpProviderConfig":null}"#),
      "mfa.providerConfigs[0].totpProviderConfig: must be an object, not null"
    ),
    (
      41, "{multiFactorConfig: {providerConfigs: [{totpProviderConfig: {}}]}}",
      "multiFactorConfig.providerConfigs[0].state: is missing; add it, or "
        + "multiFactorConfig.state, with \"ENABLED\" or \"DISABLED\""
    ),
    (
      42, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals": NUM }}"#),
      "has NUM as the value of adjacentIntervals; replace it with a whole number from 0 to 10 "
        + "(line 1, column 90)"
    ),
    (
      43, project(#"{"state": ENABLED,"totpProviderConfig":{}}"#),
      "has ENABLED as the value of state; replace it with \"ENABLED\" or \"DISABLED\" "
        + "(line 1, column 38)"
    ),
    (
      44, project(totp, #""state":"ENABLED","enabledProviders":["PHONE_SMS","PHONE_SMS"],"#),
      "mfa.enabledProviders[1]: \"PHONE_SMS\" appears twice; remove one of the two"
    ),
    (
      45, "{\n  \"mfa\": {\n    \"state\" \"ENABLED\"\n  }\n}",
      "is not JSON: there must be a colon (line 3, column 13)"
    ),
    (
      46, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5.5}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number from 0 "
        + "to 10, not 5.5"
    ),
    (
      47, #"{"mfa":{},"sms_region_config":{}}"#,
      "sms_region_config: there is no such member; write smsRegionConfig"
    ),
    (
      48, project(#"{"state":"ENABLED","totpProviderConfig":{},"st\u0061te":"ENABLED"}"#),
      "has the member mfa.providerConfigs[0].state twice; remove one of the two (line 1, column 71)"
    ),
  ]

  /// Members beside the root member, and what is wrong with them.
  static let refusedNumbers: [(Int, String, Bool, String)] = [
    (
      1, #""smsRegionConfig":{"allowlistOnly":{"allowedRegions":["+33","US"]}}"#, false,
      "smsRegionConfig.allowlistOnly.allowedRegions[1]: must be a calling code such as +33, not "
        + "\"US\": several regions can share a calling code, and only calling codes are compared"
    ),
    (
      2, #""smsRegionConfig":{"allowByDefault":{"disallowedRegions":["FR"]}}"#, false,
      "smsRegionConfig.allowByDefault: allows all numbers except some; here, regions lists those "
        + "that are allowed: use allowlistOnly"
    ),
    (
      3, #""smsRegionConfig":{"allowlistOnly":{"allowedRegions":[]}}"#, false,
      "smsRegionConfig.allowlistOnly.allowedRegions: is empty, so that nothing is sent; remove "
        + "regions from mfa.conf instead"
    ),
    (
      4, #""smsRegionConfig":{"allowlistOnly":{"allowedRegions":["+33"]}}"#, true,
      "smsRegionConfig: is about the whole host here; leave --tenant out, or remove it"
    ),
    (
      5, #""testPhoneNumbers":{"+15105551234":"123456"}"#, false,
      "testPhoneNumbers: is a member of the Admin SDK; write "
        + "signIn.phoneNumber.testPhoneNumbers"
    ),
    (
      6, #""signIn":{"email":{}}"#, false,
      "signIn.email: there is no such member; the members here are phoneNumber"
    ),
    (
      7, #""signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":123456}}}"#, false,
      "signIn.phoneNumber.testPhoneNumbers.+15105551234: must be a string of six digits, not 123456"
    ),
    (
      8, #""signIn":{"phoneNumber":{"testPhoneNumbers":{}}}"#, false,
      "signIn.phoneNumber.testPhoneNumbers: is empty; remove phone_test_numbers from mfa.conf "
        + "instead"
    ),
    // Texts that would become other settings, or other entries, in mfa.conf.
    (
      9, regions(#""+33\nissuer = x""#), false, regionRefusal(0, #""+33\x0aissuer = x""#)
    ),
    (10, regions(#""+33, +81""#), false, regionRefusal(0, #""+33, +81""#)),
    (11, regions(#""+81","+3""#), false, regionRefusal(1, #""+3""#)),
    (12, regions(#""+""#), false, regionRefusal(0, #""+""#)),
    (13, regions(#""+33=1""#), false, regionRefusal(0, #""+33=1""#)),
    (14, regions(#"" +33""#), false, regionRefusal(0, #"" +33""#)),
    (15, regions(#""+33123456""#), false, regionRefusal(0, #""+33123456""#)),
    (
      16, regions(#""+33","+33""#), false,
      #"smsRegionConfig.allowlistOnly.allowedRegions[1]: "+33" appears twice; remove one of the two"#
    ),
    (17, numbers(("+15105551234", "12345")), false, codeRefusal("+15105551234", #""12345""#)),
    (18, numbers(("+15105551234", "1234567")), false, codeRefusal("+15105551234", #""1234567""#)),
    (
      19, numbers(("+15105551234", "123456, +15105551235=123456")), false,
      codeRefusal("+15105551234", #""123456, +15105551235=123456""#)
    ),
    (
      20, numbers(("+15105551234", #"123456\ngateway = /x"#)), false,
      codeRefusal("+15105551234", #""123456\x0agateway = /x""#)
    ),
    (21, numbers(("15105551234", "123456")), false, numberRefusal("15105551234")),
    (22, numbers(("+1510555", "123456")), false, numberRefusal("+1510555")),
    (23, numbers(("+1510555123=", "123456")), false, numberRefusal("+1510555123=")),
    (
      24, numbers((#"+15105551234\nissuer = x"#, "123456")), false,
      numberRefusal(#"+15105551234\x0aissuer = x"#)
    ),
    (
      25, numbers((0...10).map { ("+151055512\($0 + 10)", "123456") }), false,
      "signIn.phoneNumber.testPhoneNumbers: must have at most 10 numbers, not 11"
    ),
    (
      26, regions((1000...1999).map { "\"+1\($0)\"" }.joined(separator: ",")), false,
      "smsRegionConfig.allowlistOnly.allowedRegions: is longer than a line of mfa.conf, which has "
        + "at most 1024 bytes"
    ),
  ]

  static func regions(_ entries: String) -> String {
    "\"smsRegionConfig\":{\"allowlistOnly\":{\"allowedRegions\":[\(entries)]}}"
  }

  static func regionRefusal(_ index: Int, _ shown: String) -> String {
    "smsRegionConfig.allowlistOnly.allowedRegions[\(index)]: must be a calling code such as +33, not "
      + "\(shown): several regions can share a calling code, and only calling codes are compared"
  }

  static func numbers(_ entries: (String, String)...) -> String { numbers(entries) }

  static func numbers(_ entries: [(String, String)]) -> String {
    let members = entries.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",")
    return "\"signIn\":{\"phoneNumber\":{\"testPhoneNumbers\":{\(members)}}}"
  }

  static func numberRefusal(_ shown: String) -> String {
    "signIn.phoneNumber.testPhoneNumbers.\(shown): the name must be a phone number such as "
      + "+15105551234, with 8 to 15 digits"
  }

  static func codeRefusal(_ number: String, _ shown: String) -> String {
    "signIn.phoneNumber.testPhoneNumbers.\(number): must be a string of six digits, not \(shown)"
  }

  @Test(arguments: refusedNumbers)
  func refusesNumbers(_ number: Int, _ member: String, _ isTenant: Bool, _ message: String) {
    let root = isTenant ? "mfaConfig" : "mfa"
    let refusal = #expect(throws: AdminError.self) {
      _ = try read(
        "{\"\(root)\":{\"providerConfigs\":[\(Self.totp)]},\(member)}", isTenant: isTenant)
    }
    #expect(refusal?.member == message, "case \(number)")
  }

  @Test(arguments: refused) func refuses(_ number: Int, _ text: String, _ message: String) {
    let refusal = #expect(throws: AdminError.self) { _ = try read(text) }
    #expect(refusal?.member == message, "case \(number)")
  }

  @Test func tenantHasDifferentRootMember() throws {
    let text = Self.project(Self.totp)
    let refusal = #expect(throws: AdminError.self) {
      _ = try read(text, isTenant: true)
    }
    #expect(
      refusal?.member == "mfa: is the member of a project; leave --tenant out, or write mfaConfig")
    let tenant = text.replacing("mfa", with: "mfaConfig")
    #expect(try read(tenant, isTenant: true).adjacentIntervals == 5)
  }

  @Test func memberNamesAreEscaped() {
    let refusal = #expect(throws: AdminError.self) {
      _ = try read("{\"mfa\":{},\"\\u001b[2J\u{202E}\":1}")
    }
    #expect(refusal.map { isHarmless($0.member) } == true)
  }

  @Test func refusalIsOneLine() {
    let refusal = #expect(throws: AdminError.self) {
      _ = try read(#"{"mfa":{"a\nb":1}}"#)
    }
    #expect(refusal?.member.hasPrefix("mfa.a\\x0ab: ") == true)
  }

  @Test func ignoredProviderIsEscaped() throws {
    let settings = try read(
      Self.project(Self.totp + #",{"state":"DISABLED","\u001b[2J\nProviderConfig":{}}"#))
    #expect(
      settings.ignored
        == ["mfa.providerConfigs[1].\\x1b[2J\\x0aProviderConfig, which is disabled"])
  }
}
