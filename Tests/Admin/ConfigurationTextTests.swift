import MFAModel
import Testing

@testable import MFAAdmin

@Suite struct ConfigurationTextTests {
  func configuration() throws -> Configuration {
    var draft = ConfigurationDraft()
    try draft.add(
      Array("[project]\nstate = observe\nissuer = A\n[tenant a]\nusers = x, y\n".utf8).span,
      from: Array("/one".utf8))
    try draft.add(
      Array("[project]\n# comment\nadjacent_intervals = 3\n[tenant a]\nstate=enabled\n".utf8).span,
      from: Array("/t\u{1B}wo".utf8))
    return try draft.finish()
  }

  @Test func showsSourceOfEachValue() throws {
    #expect(
      ConfigurationText(try configuration()).text == #"""
        [project]
        state = observe  # /one:2
        adjacent_intervals = 3  # /t\x1bwo:3
        issuer = A  # /one:3
        language = en  # default
        enrollment = self-service  # default
        offer_sign_ins = 0  # default
        prompt_hints = off  # default
        end_sessions_on_unenroll = off  # default
        remember = off  # default
        fresh_for = off  # default
        throttle_after = 5  # default
        throttle_first_wait = 30s  # default
        throttle_longest_wait = 15m  # default
        disable_after = 100  # default
        recovery_unlocks = off  # default
        factors = totp, phone  # default
        phone_waiting_time = 24h  # default
        phone_interval = 30s  # default
        phone_per_ten_minutes = 3  # default
        phone_per_day = 10  # default
        phone_number_hourly = 5  # default
        phone_host_daily = 200  # default
        phone_breaker = 20  # default

        [tenant a]
        users = x, y  # /one:5
        state = enabled  # /t\x1bwo:5

        """#)
  }

  @Test func showsEffectiveTenantSettings() throws {
    let configuration = try configuration()
    let tenant = try #require(configuration.tenants.first)
    let text = ConfigurationText(configuration).text(of: tenant)
    #expect(text.hasPrefix("[tenant a]\nusers = x, y  # /one:5\nstate = enabled  # /t\\x1bwo:5\n"))
    #expect(text.contains("\nadjacent_intervals = 3  # /t\\x1bwo:3, [project]\n"))
    #expect(text.contains("\nenrollment = self-service  # default\n"))
  }

  @Test func convertsToIdentityPlatformSettings() throws {
    let configuration = try configuration()
    let configurationText = ConfigurationText(configuration)
    let project = configurationText.identityPlatform(nil, nil)
    #expect(project.settings == IdentityPlatform(isEnabled: false, adjacentIntervals: 3))
    #expect(project.warning?.contains("observe") == true)
    let form = IdentityPlatformForm(root: .adminSDK, statePlace: .outer, intervals: .string)
    let applied = AppliedSection(Array("[a]".utf8), in: Array("[a]\n".utf8), form: form)
    let tenant = configurationText.identityPlatform(configuration.tenants.first, applied)
    #expect(tenant.settings == IdentityPlatform(isEnabled: true, adjacentIntervals: 3, form: form))
    #expect(tenant.warning == nil)
  }
}
