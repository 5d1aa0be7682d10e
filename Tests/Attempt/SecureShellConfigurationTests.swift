import MFATestSupport
import Testing

@testable import MFAAttempt

/// Files of sshd in memory.
private struct SecureShellFixture: SecureShellFiles {
  var files: [String: String] = [:]

  func text(of path: [UInt8]) -> [UInt8]? {
    files[String(decoding: path, as: UTF8.self)].map { Array($0.utf8) }
  }

  func names(in folder: [UInt8]) -> [[UInt8]]? {
    let start = String(decoding: folder, as: UTF8.self) + "/"
    return files.keys.filter { $0.hasPrefix(start) }.map { Array($0.dropFirst(start.count).utf8) }
  }
}

@Suite("The settings of sshd")
struct SecureShellConfigurationTests {
  private func read(
    _ text: String, others: [String: String] = [:]
  ) -> SecureShellConfiguration {
    let main = "/etc/ssh/sshd_config"
    let files = SecureShellFixture(files: others.merging([main: text]) { $1 })
    return SecureShellReader.read(Array(main.utf8), from: files)
  }

  @Test(
    "the time for a sign-in",
    arguments: [
      ("", 120), ("LoginGraceTime 600", 600), ("logingracetime=10m # long", 600),
      ("LoginGraceTime \"1h30m\"", 5400), ("LoginGraceTime 0", nil), ("LoginGraceTime 2m30", 150),
      ("LoginGraceTime 30\nLoginGraceTime 40", 30), ("#LoginGraceTime 30", 120),
      ("LoginGraceTime soon", 120), ("LoginGraceTime = 45s", 45),
    ] as [(String, Int64?)])
  func graceTime(text: String, seconds: Int64?) {
    #expect(read(text).graceTime == seconds)
  }

  @Test(
    "whether a method is left after keyboard-interactive authentication was withdrawn",
    arguments: [
      ("", true), ("PubkeyAuthentication no", false),
      ("PubkeyAuthentication no\nGSSAPIAuthentication yes", true),
      ("PubkeyAuthentication no\nHostbasedAuthentication yes", true),
      ("AuthenticationMethods any", true), ("AuthenticationMethods keyboard-interactive", false),
      ("AuthenticationMethods keyboard-interactive:pam publickey", true),
      ("AuthenticationMethods publickey,keyboard-interactive", true),
      ("AuthenticationMethods publickey\nPubkeyAuthentication no", false),
      ("AuthenticationMethods password publickeys", false),
      ("Match User alice\nAuthenticationMethods keyboard-interactive", false),
      ("Match User alice\nX11Forwarding no", true),
      ("Match all\nAuthenticationMethods keyboard-interactive", false),
      ("AuthenticationMethods any\nAuthenticationMethods password", true),
    ] as [(String, Bool)])
  func leavesOtherMethod(text: String, leaves: Bool) {
    #expect(read(text).leavesOtherMethod == leaves, "\(text)")
  }

  @Test("included files are read in the order of their names, and the first value counts")
  func included() {
    let files = [
      "/etc/ssh/sshd_config.d/20-b.conf": "LoginGraceTime 20",
      "/etc/ssh/sshd_config.d/10-a.conf": "LoginGraceTime 10\nMatch all",
      "/etc/ssh/sshd_config.d/05-c.bak": "LoginGraceTime 5",
      "/etc/ssh/sshd_config.d/.hidden.conf": "LoginGraceTime 1",
      "/elsewhere": "AuthenticationMethods keyboard-interactive",
    ]
    let text = """
      Include /etc/ssh/sshd_config.d/*.conf /missing
      LoginGraceTime 30
      Include /elsewhere
      """
    let settings = read(text, others: files)
    #expect(settings.graceTime == 10)
    #expect(settings.isCertain)
    #expect(!settings.leavesOtherMethod)
    #expect(read("Include sshd_config.d/*.conf", others: files).graceTime == 10)
    #expect(!read("Include /etc/*/x.conf").leavesOtherMethod)
    #expect(!read("Match User bob\nInclude /elsewhere", others: files).leavesOtherMethod)
  }

  @Test("an include without an end is cut off, and nothing is certain then")
  func loop() {
    let settings = read("Include /etc/ssh/sshd_config")
    #expect(!settings.isCertain)
  }

  @Test("without a file that can be read, the time is sshd's default and nothing is certain")
  func missing() {
    let settings = SecureShellReader.read(Array("/none".utf8), from: SecureShellFixture())
    #expect(settings == .unknown)
    #expect(settings.graceTime == 120)
    #expect(!settings.leavesOtherMethod)
  }
}

@Suite("The files of sshd", .privateMachine)
struct InstalledSecureShellTests {
  @Test("a file that another user could have written is not read")
  func distrusted() throws {
    try Machine.use { machine in
      let path = machine.folder + "/sshd_config"
      let text = "LoginGraceTime 30\n"
      try machine.write(text, to: path)
      #expect(InstalledSecureShell().text(of: Array(path.utf8)) == Array(text.utf8))
      #expect(InstalledSecureShell().names(in: Array(machine.folder.utf8))?.count == 1)
      #expect(InstalledSecureShell().names(in: Array((machine.folder + "/none").utf8)) == [])
      try machine.write(text, to: path, mode: "0666")
      #expect(InstalledSecureShell().text(of: Array(path.utf8)) == nil)
      try machine.write(text, to: path, owner: "nobody")
      #expect(InstalledSecureShell().text(of: Array(path.utf8)) == nil)
    }
  }
}
