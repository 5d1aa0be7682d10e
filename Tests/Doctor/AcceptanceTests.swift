import MFAAdmin
import MFAAdminTestSupport
import MFABase
import Testing

@testable import MFADoctor

@Suite("Accepted findings")
struct AcceptanceTests {
  private static let sshdFile = "/etc/ssh/sshd_config"
  private static let now: Int64 = 1_700_000_000

  /// A host on which the user backup signs in with a key alone.
  private func host(_ line: String = "AuthenticationMethods publickey") -> MemoryHost {
    var host = MemoryHost()
    host.texts[Self.sshdFile] = "UsePAM yes\n\(line)\nInclude x\n"
    return host
  }

  private func finding(
    at place: String = "\(Self.sshdFile):2", _ message: String = "users sign in with a key"
  ) -> Finding {
    Finding(
      severity: .error, code: "methods-without-code", services: [Array("sshd".utf8)], place: place,
      message: message, hint: "x")
  }

  private func acceptance(of subject: Acceptance.Subject, until end: Int64) -> Acceptance {
    Acceptance(subject, reason: "backups", actor: "root", begin: Self.now, end: end)
  }

  @Test("recognises a finding whose line has moved, and no finding that differs in anything else")
  func subject() throws {
    let accepted = try #require(Acceptance.Subject(finding(), on: host()))
    #expect(accepted.line == "AuthenticationMethods publickey" && accepted.path == Self.sshdFile)

    var moved = host()
    moved.texts[Self.sshdFile] = "# a comment\n" + (moved.texts[Self.sshdFile] ?? "")
    #expect(Acceptance.Subject(finding(at: "\(Self.sshdFile):3"), on: moved) == accepted)

    #expect(Acceptance.Subject(finding(at: "\(Self.sshdFile):1"), on: host()) != accepted)
    #expect(Acceptance.Subject(finding(), on: host("AuthenticationMethods any")) != accepted)
    #expect(Acceptance.Subject(finding(at: "/etc/ssh/other:2"), on: host()) != accepted)
    #expect(
      Acceptance.Subject(
        finding(at: "\(Self.sshdFile):2", "users of the group wheel sign in"), on: host())
        != accepted)
    var other = finding()
    other.services = [Array("sshd".utf8), Array("sshd-2".utf8)]
    #expect(Acceptance.Subject(other, on: host()) != accepted)
  }

  @Test("ignores the numbers of lines in the message, and nothing else there")
  func message() throws {
    let near = try #require(
      Acceptance.Subject(
        finding(at: "\(Self.sshdFile):2", "as /etc/pam.d/x:7 says (3 users)"), on: host()))
    #expect(near.message == "as /etc/pam.d/x says (3 users)")
    #expect(
      near
        == Acceptance.Subject(
          finding(at: "\(Self.sshdFile):2", "as /etc/pam.d/x:9 says (3 users)"), on: host()))
    #expect(
      near
        != Acceptance.Subject(
          finding(at: "\(Self.sshdFile):2", "as /etc/pam.d/x:7 says (4 users)"), on: host()))
  }

  @Test(
    "cannot name a finding whose line cannot be read",
    arguments: ["\(Self.sshdFile):9", "/missing:1", "/unseen:1"])
  func unreadable(place: String) {
    var host = host()
    host.unseen["/unseen"] = SystemError(.open, number: 13)
    #expect(Acceptance.Subject(finding(at: place), on: host) == nil)
    #expect(Acceptance.Subject(finding(at: "/missing"), on: host)?.line == nil)
  }

  @Test("the file is read as it was written")
  func file() throws {
    var list = AcceptedFindings()
    list.add(
      acceptance(of: try #require(Acceptance.Subject(finding(), on: host())), until: Self.now + 7))
    list.add(
      acceptance(
        of: try #require(Acceptance.Subject(finding(at: "/x"), on: host())), until: Self.now + 9))
    #expect(try AcceptedFindings(Array(list.text.utf8)) == list && list.all.count == 2)
  }

  @Test("a file that is damaged or incomplete is refused")
  func damaged() throws {
    var list = AcceptedFindings()
    list.add(
      acceptance(of: try #require(Acceptance.Subject(finding(), on: host())), until: Self.now + 7))
    let text = list.text
    for member in [
      "version", "accepted", "finding", "services", "path", "line", "message", "reason", "by",
      "since", "until",
    ] {
      let damaged = text.replacing("\"\(member)\":", with: "\"x\":")
      #expect(damaged != text)
      #expect(throws: AdminError.self, "\(member)") {
        try AcceptedFindings(Array(damaged.utf8))
      }
    }
    for length in 0..<(text.utf8.count - 2) {
      #expect(throws: AdminError.self) {
        try AcceptedFindings(Array(text.utf8.prefix(length)))
      }
    }
  }

  @Test("an addition replaces the acceptance of the same finding, and removes long expired ones")
  func addition() throws {
    let first = try #require(Acceptance.Subject(finding(), on: host()))
    let second = try #require(Acceptance.Subject(finding(at: "/x"), on: host()))
    var list = AcceptedFindings()
    list.add(acceptance(of: first, until: Self.now + 5))
    list.add(acceptance(of: first, until: Self.now + 9))
    #expect(list.all.map(\.end) == [Self.now + 9])
    list.add(acceptance(of: second, until: Self.now - 90 * 86_400))
    #expect(list.all.count == 2)
    list.add(acceptance(of: first, until: Self.now))
    #expect(list.all.map(\.end) == [Self.now])
    #expect(list.remove(code: "methods-without-code", path: "/x").isEmpty)
    #expect(list.remove(code: "methods-without-code", path: Self.sshdFile).count == 1)
    #expect(list.all.isEmpty)
  }

  // MARK: Diagnosis

  private func diagnosis(
    of host: MemoryHost, accepting accepted: [Acceptance], at time: Int64 = Self.now
  ) throws -> Diagnosis {
    var host = host
    var list = AcceptedFindings()
    for acceptance in accepted { list.add(acceptance) }
    host.accepted = .success(list)
    return Diagnosis(try HostSnapshot(of: host), at: time)
  }

  /// A host with two errors.
  private var faulty: MemoryHost {
    var host = MemoryHost()
    host.stacks.files["sudo"] = "auth sufficient pam_unix.so\nauth required pam_mfa.so\n"
    host.texts["/pam/sudo"] = host.stacks.files["sudo"]
    host.clock = .success(false)
    return host
  }

  @Test("an accepted finding is not reported until its time is over")
  func time() throws {
    let host = faulty
    let open = try diagnosis(of: host, accepting: [])
    #expect(open.errors == 1 && open.accepted.isEmpty)
    let skippable = try #require(open.findings.first { $0.code == "auth-skippable" })
    let accepted = acceptance(
      of: try #require(Acceptance.Subject(skippable, on: host)), until: Self.now + 10)
    let before = try diagnosis(of: host, accepting: [accepted], at: Self.now + 9)
    #expect(before.errors == 0 && before.warnings == open.warnings)
    #expect(before.accepted.map(\.finding) == [skippable])
    let after = try diagnosis(of: host, accepting: [accepted], at: Self.now + 10)
    #expect(after.errors == 1 && after.accepted.isEmpty)
    #expect(accepted.text(at: Self.now + 9).contains("until 2023-11-14 22:13, by root: backups"))
    #expect(accepted.text(at: Self.now + 10).contains("EXPIRED"))
  }

  @Test("an accepted finding is reported again when its line changes")
  func changedLine() throws {
    var host = faulty
    let open = try diagnosis(of: host, accepting: [])
    let skippable = try #require(open.findings.first { $0.code == "auth-skippable" })
    let accepted = acceptance(
      of: try #require(Acceptance.Subject(skippable, on: host)), until: Self.now + 10)
    host.stacks.files["sudo"] = "auth sufficient pam_unix.so nullok\nauth required pam_mfa.so\n"
    host.texts["/pam/sudo"] = host.stacks.files["sudo"]
    #expect(try diagnosis(of: host, accepting: [accepted]).errors == 1)
  }

  @Test("an acceptance ends when the Match line of its line changes, and all exemptions are listed")
  func changedMatch() throws {
    func host(_ match: String) -> MemoryHost {
      var host = MemoryHost()
      host.texts["/etc/ssh/sshd_config.d/00-mfa.conf"] =
        MemoryHost.sshdDropIn + "\n\(match)\nAuthenticationMethods publickey\n"
      host.sshdForArguments = { arguments in
        arguments.last?.contains("addr=10.") == true
          ? MemoryHost.sshdSettings.replacing(
            "authenticationmethods keyboard-interactive", with: "authenticationmethods publickey")
          : nil
      }
      return host
    }
    let narrow = host("Match Address 10.0.0.0/16")
    let open = try diagnosis(of: narrow, accepting: [])
    let finding = try #require(open.findings.first { $0.code == "methods-without-code" })
    let accepted = acceptance(
      of: try #require(Acceptance.Subject(finding, on: narrow)), until: Self.now + 10)
    for (host, isAccepted) in [(narrow, true), (host("Match Address 10.0.0.0/8"), false)] {
      let snapshot = try HostSnapshot(of: host)
      let diagnosis = try diagnosis(of: host, accepting: [accepted])
      #expect(diagnosis.errors == (isAccepted ? 0 : 1))
      let exemptions = diagnosis.exemptions(on: snapshot)
      #expect(exemptions.map { $0.finding.code } == ["methods-without-code"])
      #expect(exemptions.map { $0.acceptance?.reason } == [isAccepted ? "backups" : nil])
    }
  }

  @Test("a list that cannot be read accepts nothing, and is a finding")
  func unreadableList() throws {
    var host = faulty
    host.accepted = .failure(AdminError(at: "/list", "it is not JSON"))
    let diagnosis = Diagnosis(try HostSnapshot(of: host), at: Self.now)
    #expect(diagnosis.errors == 1 && diagnosis.accepted.isEmpty)
    #expect(diagnosis.findings.contains { $0.place == "/list" })
    #expect(diagnosis.findings.first?.severity == .error)
  }
}
