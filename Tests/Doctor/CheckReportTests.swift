import MFAAdminTestSupport
import MFADoctor
import Testing

@testable import MFAAdmin

@Suite("mfa-admin check")
struct CheckReportTests {
  private func report(_ change: (inout MemoryHost) -> Void = { _ in }) throws -> CheckReport {
    var host = MemoryHost()
    change(&host)
    return CheckReport(try HostSnapshot(of: host), at: 1_700_000_000)
  }

  @Test("says nothing about a sound host")
  func sound() throws {
    let report = try report()
    #expect(report.text == "" && report.errors == 0 && report.warnings == 0)
    #expect(report.services.map(\.name) == ["login", "sshd", "su", "sudo"])
    #expect(report.services.filter { !$0.asksForCode }.isEmpty)
    #expect(
      report.prometheus.contains("mfa_findings{severity=\"error\"} 0\n")
        && report.prometheus.hasSuffix("mfa_check_time_seconds 1700000000\n"))
  }

  @Test(
    "says that no service asks for a code if policy is not enforced",
    arguments: ["observe", "disabled"])
  func notEnforced(state: String) throws {
    let report = try report { $0.configurationText = "[project]\nstate = \(state)\n" }
    #expect(!report.services.isEmpty && report.services.allSatisfy { !$0.asksForCode })
  }

  @Test("takes it that the realm of a host enforces its policy, whatever the host's own file says")
  func inRealm() throws {
    let report = try report {
      $0.configurationText = "[project]\nstate = disabled\n"
      $0.realm = ExaminationTests.answer(certificateDays: 30)
      $0.stacks.files["su"] = "auth sufficient pam_unix.so\nauth required pam_mfa.so\n"
    }
    #expect(report.services.filter(\.asksForCode).map(\.name) == ["login", "sshd", "sudo"])
  }

  @Test(
    "says that a service asks for no code if its program accepts the password alone",
    arguments: [
      ("samba", nil, false), ("proftpd", nil, false),
      ("proftpd", "AuthOrder mod_auth_pam.c*\n", true),
      ("vsftpd", nil, true),
    ] as [(String, String?, Bool)])
  func passwordAlone(service: String, settings: String?, asks: Bool) throws {
    let report = try report {
      $0.texts["/etc/proftpd/proftpd.conf"] = settings
      $0.stacks.files[service] =
        "auth required pam_mfa.so forward_pass\n@include common-auth\naccount required pam_mfa.so\n"
    }
    #expect(report.services.first { $0.name == service }?.asksForCode == asks)
  }

  private static let settings = MemoryHost.sshdSettings

  /// Changes after which sign-ins by ssh ask for no code, and changes that leave the metric as it is.
  static let servers: [(number: Int, asks: Bool, change: @Sendable (inout MemoryHost) -> Void)] = [
    (1, false, { $0.sshdOfOthers = "usepam no\n" + settings }),
    (2, false, { $0.sshdOfOthers = "authenticationmethods any\n" + settings }),
    (3, false, { $0.sshdOfOthers = "authenticationmethods publickey\n" + settings }),
    (
      4, false,
      { $0.configurationText = "[project]\n[tenant a]\nservices = sshd\nstate = disabled\n" }
    ),
    (
      5, false,
      {
        $0.sshd = .success(["alice": "authenticationmethods any\n" + settings])
        $0.texts["/etc/ssh/sshd_config.d/00-mfa.conf"] =
          MemoryHost.sshdDropIn + "Match User alice\nAuthenticationMethods any\n"
      }
    ),
    (6, false, { $0.sshdOfOthers = "!/etc/ssh/sshd_config: line 1: Bad configuration option: x" }),
    (
      7, true,
      {
        $0.configurationText =
          "[project]\n[tenant a]\nservices = sshd\nusers = alice\nstate = disabled\n"
      }
    ),
    // The exemption of a group that mfa-admin enable wrote.
    (
      8, true,
      {
        let path = "/etc/ssh/sshd_config.d/00-mfa.conf"
        $0.sshd = .success(["alice": "authenticationmethods publickey\n" + settings])
        $0.texts[path] =
          MemoryHost.sshdDropIn + "Match User alice\nAuthenticationMethods publickey\n"
        $0.recorded = .success([
          RecordedService(
            name: Array("sshd".utf8),
            files: [RecordedService.File(path: path, state: .complete, isUnchanged: true)])
        ])
      }
    ),
    // The lines for a key and then a code, and sshd requires no key.
    (
      9, false,
      {
        $0.stacks.files["sshd"] =
          "auth required pam_mfa.so\nauth required pam_permit.so\naccount required pam_mfa.so\n"
      }
    ),
  ]

  @Test("says whether sshd asks for a code by what sshd accepts", arguments: servers.indices)
  func sshd(index: Int) throws {
    let row = Self.servers[index]
    let report = try report(row.change)
    let sshd = try #require(report.services.first { $0.name == "sshd" })
    #expect(sshd.asksForCode == row.asks, "row \(row.number): \(report.text)")
    let others = report.services.filter { $0.name != "sshd" }
    #expect(others.allSatisfy { $0.asksForCode }, "row \(row.number)")
  }

  @Test("has a line for each error and warning, and no notes")
  func findings() throws {
    let report = try report {
      $0.stacks.files["sudo"] = "auth sufficient pam_unix.so\nauth required pam_mfa.so\n"
      $0.stacks.files["sshd"] = MemoryHost.Stacks.sound
      $0.clock = .success(false)
      $0.recorded = .success([
        RecordedService(
          name: Array("a\"b".utf8),
          files: [RecordedService.File(path: "/etc/pam.d/x", state: .gone)])
      ])
    }
    let lines = report.text.split(separator: "\n")
    #expect(lines.count == 4 && report.errors == 2 && report.warnings == 2, "\(report.text)")
    #expect(report.text.contains("error: /pam/sudo:1: sudo: users who pass pam_unix.so"))
    #expect(report.services.first { $0.name == "sudo" }?.asksForCode == false)
    #expect(
      report.prometheus.contains("mfa_service_asks_for_code{service=\"a\\\"b\"} 0\n"),
      "\(report.prometheus)")
    #expect(
      report.prometheus.contains(
        "mfa_finding{severity=\"error\",finding=\"auth-skippable\",services=\"sudo\","
          + "place=\"/pam/sudo:1\"} 1\n"))
    #expect(report.json.text.contains("\"time\": \"2023-11-14T22:13:20Z\""), "\(report.json.text)")
  }
}
