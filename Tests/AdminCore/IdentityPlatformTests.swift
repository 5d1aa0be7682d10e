import MFAAdminTestSupport
import MFAPolicy
import Testing

@testable import MFAAdminOutput
@testable import MFAAdminCore

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
      "signin: there is no such member; the members here are mfa, multiFactorConfig"
    ),
    (5, #"{"mfa":null}"#, "mfa: must be an object, not null"),
    (6, #"{"mfa":{}}"#, "mfa.providerConfigs: is missing; add it"),
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
      "mfa.providerConfigs[0].state: is missing; add it, or mfa.state"
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
      "mfa.state: is missing; add it"
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
      "multiFactorConfig.state: is missing; add it"
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
      39, project(totp, #""state":"ENABLED","state":"ENABLED","#), "has the member \"state\" twice"
    ),
    (
      40, project(#"{"state":"ENABLED","totpProviderConfig":null}"#),
      "mfa.providerConfigs[0].totpProviderConfig: must be an object, not null"
    ),
    (
      41, "{multiFactorConfig: {providerConfigs: [{totpProviderConfig: {}}]}}",
      "multiFactorConfig.providerConfigs[0].state: is missing; add it, or multiFactorConfig.state"
    ),
    (
      42, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals": NUM }}"#),
      "has NUM as the value of adjacentIntervals; replace it with a whole number from 0 to 10"
    ),
    (
      43, project(#"{"state": ENABLED,"totpProviderConfig":{}}"#),
      "has ENABLED as the value of state; replace it with \"ENABLED\" or \"DISABLED\""
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
  ]

  @Test(arguments: refusedNumbers)
  func refusesNumbers(_ number: Int, _ member: String, _ isTenant: Bool, _ message: String) {
    let root = isTenant ? "mfaConfig" : "mfa"
    let refusal = #expect(throws: IdentityPlatform.Refusal.self) {
      _ = try read(
        "{\"\(root)\":{\"providerConfigs\":[\(Self.totp)]},\(member)}", isTenant: isTenant)
    }
    #expect(refusal?.text == message, "case \(number)")
  }

  @Test(arguments: refused) func refuses(_ number: Int, _ text: String, _ message: String) {
    let refusal = #expect(throws: IdentityPlatform.Refusal.self) { _ = try read(text) }
    #expect(refusal?.text == message, "case \(number)")
  }

  @Test func tenantHasDifferentRootMember() throws {
    let text = Self.project(Self.totp)
    let refusal = #expect(throws: IdentityPlatform.Refusal.self) {
      _ = try read(text, isTenant: true)
    }
    #expect(
      refusal?.text == "mfa: is the member of a project; leave --tenant out, or write mfaConfig")
    let tenant = text.replacing("mfa", with: "mfaConfig")
    #expect(try read(tenant, isTenant: true).adjacentIntervals == 5)
  }

  @Test func memberNamesAreEscaped() {
    let refusal = #expect(throws: IdentityPlatform.Refusal.self) {
      _ = try read("{\"mfa\":{},\"\\u001b[2J\u{202E}\":1}")
    }
    #expect(refusal.map { isHarmless($0.text) } == true)
  }

  @Test func refusalIsOneLine() {
    let refusal = #expect(throws: IdentityPlatform.Refusal.self) {
      _ = try read(#"{"mfa":{"a\nb":1}}"#)
    }
    #expect(refusal?.text.hasPrefix("mfa.a\\x0ab: ") == true)
  }

  @Test func ignoredProviderIsEscaped() throws {
    let settings = try read(
      Self.project(Self.totp + #",{"state":"DISABLED","\u001b[2J\nProviderConfig":{}}"#))
    #expect(
      settings.ignored
        == ["mfa.providerConfigs[1].\\x1b[2J\\x0aProviderConfig, which is disabled"])
  }
}
