import MFAAdminTestSupport
import MFAPolicy
import Testing

@testable import MFAAdminOutput
@testable import MFAAdminCore

@Suite struct IdentityPlatformTests {
  func read(_ text: String, isTenant: Bool = false) throws -> IdentityPlatform {
    try IdentityPlatform(try JSONReader.value(of: Array(text.utf8)), isTenant: isTenant)
  }

  /// Returns a project's JSON with these elements of `providerConfigs` and these additional
  /// members.
  static func project(_ providers: String, _ others: String = "") -> String {
    "{\"mfa\":{\(others)\"providerConfigs\":[\(providers)]}}"
  }

  static let totp = #"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}"#

  static let accepted: [(Int, String, Bool, UInt8?, [String])] = [
    (1, project(totp), true, 5, []),
    (2, project(#"{"state":"DISABLED","totpProviderConfig":{}}"#), false, nil, []),
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
      6, project(totp, #""state":"DISABLED","enabledProviders":["PHONE_SMS"],"#), true, 5,
      [
        "mfa.state, which is about text messages",
        "mfa.enabledProviders, which is about text messages",
      ]
    ),
    (
      7, project(totp, #""state":"ENABLED","enabledProviders":[],"#), true, 5,
      [
        "mfa.state, which is about text messages",
        "mfa.enabledProviders, which is about text messages",
      ]
    ),
  ]

  @Test(arguments: accepted)
  func reads(
    _ number: Int, _ text: String, _ isEnabled: Bool, _ intervals: UInt8?, _ ignored: [String]
  ) throws {
    let settings = try read(text)
    #expect(settings.isEnabled == isEnabled, "case \(number)")
    #expect(settings.adjacentIntervals == intervals, "case \(number)")
    #expect(settings.ignored == ignored, "case \(number)")
  }

  /// MUST 1.
  static let refused: [(Int, String, String)] = [
    (1, "[]", "the text: must be an object, not an array"),
    (2, "{}", "mfa: is missing; add it"),
    (3, #"{"mfaConfig":{}}"#, "mfaConfig: there is no such member; the members here are mfa"),
    (4, #"{"mfa":{},"signIn":{}}"#, "signIn: there is no such member; the members here are mfa"),
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
      11, project(#"{"totpProviderConfig":{}}"#), "mfa.providerConfigs[0].state: is missing; add it"
    ),
    (
      12, project(#"{"state":"MANDATORY","totpProviderConfig":{}}"#),
      "mfa.providerConfigs[0].state: must be \"ENABLED\" or \"DISABLED\", not \"MANDATORY\""
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
      18, project(#"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":"5"}}"#),
      "mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals: must be a whole number from 0 "
        + "to 10, not \"5\""
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
      "mfa.providerConfigs[1].otherProviderConfig: this provider is enabled, but not supported here"
    ),
    (
      23, project(totp + #",{"state":"DISABLED"}"#),
      "mfa.providerConfigs[1]: it names no provider; add totpProviderConfig"
    ),
    (
      24, project(totp + #",{"state":"DISABLED","note":1}"#),
      "mfa.providerConfigs[1].note: there is no such member; remove it"
    ),
    (
      25, project(totp, #""enabledProviders":["PHONE_SMS"],"#),
      "mfa.enabledProviders[0]: \"PHONE_SMS\" is enabled, but not supported here"
    ),
    (
      26, project(totp, #""state":"MANDATORY","#),
      "mfa.state: must be \"ENABLED\" or \"DISABLED\", not \"MANDATORY\""
    ),
  ]

  @Test(arguments: refused) func refuses(_ number: Int, _ text: String, _ message: String) {
    let refusal = #expect(throws: IdentityPlatform.Refusal.self) { _ = try read(text) }
    #expect(refusal?.text == message, "case \(number)")
  }

  @Test func tenantHasDifferentRootMember() throws {
    let text = Self.project(Self.totp)
    #expect(throws: IdentityPlatform.Refusal.self) { _ = try read(text, isTenant: true) }
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

  @Test func writtenSettingsReadBackEqual() throws {
    for isTenant in [false, true] {
      for intervals in [UInt8?.none, 0, 5, 10] {
        for isEnabled in [false, true] {
          let settings = IdentityPlatform(isEnabled: isEnabled, adjacentIntervals: intervals)
          #expect(try read(settings.json(isTenant: isTenant).text, isTenant: isTenant) == settings)
        }
      }
    }
  }
}
