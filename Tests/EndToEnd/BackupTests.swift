import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// `mfa-admin backup` and `restore-backup`, with sign-ins before and after.
  @Suite struct Backups {
    static let admin = "/usr/sbin/mfa-admin"
    /// The number of steps that the largest window reaches into the future, and one more.
    static let later = 7

    init() throws { try machine.emptyStore() }

    private static func signIn(
      _ service: String, _ user: MachineUser, _ code: String
    ) throws -> String? {
      try user.signIn(to: service, typing: code).code
    }

    /// Returns what `mfa-admin show` tells of the user's wrong codes.
    private func wrongCodes(_ user: MachineUser) throws -> Substring? {
      try machine.mustAdminister("show", user.name).text.split(separator: "\n").first {
        $0.hasPrefix("wrong codes")
      }
    }

    /// Removes everything that is stored, as if the disk had been replaced.
    private static func wipe() throws {
      try Command.succeed([
        "/bin/sh", "-c",
        "rm -f /var/lib/mfa/audit-log*; find /var/lib/mfa/factors /var/lib/mfa/attempts -type f -delete",
      ])
    }

    private static func sums() throws -> String {
      try Command.succeed([
        "/bin/sh", "-c",
        "cd /var/lib/mfa && find . -type f | sort | xargs sha256sum; sha256sum /etc/mfa/key",
      ])
    }

    // The service has a clock of its own here.
    @Test(
      "after a restore, a code that was used after the backup is refused, and a later one works",
      .withoutResidentService)
    func usedCode() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let recovery = try machine.makeRecoveryCodes(user, enrollment, offset: -4)[0]
      let file = "/root/mfa-test-backup.tar"
      machine.atTheEnd("remove the backup") { try Command.succeed(["/bin/rm", "-f", file]) }
      let made = try machine.mustAdminister("backup", file).text
      #expect(made.contains("the data of 1 user") && made.contains("does not contain the key"))
      let phone = enrollment.phone
      let resident = try ShiftedService(on: machine)
      let used = try phone.code()
      #expect(try Self.signIn(service, user, used) == "PAM_SUCCESS")

      // What the command prevents: the files alone make the code valid again.
      let lost = try Command.run([Self.admin, "restore-backup", file, "--yes"])
      #expect(lost.status == .exited(1) && lost.errorText.contains("has 1 record"))
      try Self.wipe()
      let start = try machine.log.position()
      let restored = try machine.mustAdminister("restore-backup", file, "--yes").text
      #expect(restored.contains("restored the data of 1 user"), "\(restored)")
      #expect(restored.contains("Recovery codes are void"), "\(restored)")
      let results = try machine.log.entries(since: start).compactMap { $0.fields["result"] }
      #expect(results.contains("restore-begun") && results.contains("restored"), "\(results)")

      #expect(try Self.signIn(service, user, used) == "PAM_AUTH_ERR")
      #expect(try Self.signIn(service, user, try phone.code(offset: 5)) == "PAM_AUTH_ERR")
      let failures = try wrongCodes(user)
      let early = try user.signIn(to: service, typing: try phone.code(offset: 2))
      #expect(
        early.code == "PAM_AUTH_ERR"
          && early.notices.contains { $0.hasPrefix("No code of this device is accepted yet.") },
        "\(early)")
      #expect(try wrongCodes(user) == failures)
      #expect(try Self.signIn(service, user, recovery) == "PAM_AUTH_ERR")
      let next = try phone.code(offset: Self.later)
      try resident.set(ahead: Self.later * 30)
      #expect(try Self.signIn(service, user, next) == "PAM_SUCCESS")
      #expect(try Self.signIn(service, user, next) == "PAM_AUTH_ERR")
      try Rekeying.expectIntactStore()
      let owners = try Command.succeed([
        "/bin/sh", "-c", "find /var/lib/mfa -type f -printf '%u %g %m\\n' | sort -u",
      ])
      #expect(
        owners.split(separator: "\n").allSatisfy { $0.hasPrefix("mfa ") && $0.hasSuffix(" 600") },
        "\(owners)")
    }

    @Test("the configuration comes back as mfad can read it, and services are named")
    func configuration() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let file = "/root/mfa-test-backup.tar"
      machine.atTheEnd("remove the backup and the setting") {
        try Command.succeed([Self.admin, "config", "set", "--unset", "adjacent_intervals"])
        try Command.succeed([
          "/bin/sh", "-c", "rm -f \(file) /etc/mfa/mfa.conf.old /var/lib/mfa.before-restore-*",
        ])
      }
      try machine.mustAdminister("config", "set", "adjacent_intervals", "4")
      try machine.mustAdminister("backup", file)
      try machine.mustAdminister("config", "set", "adjacent_intervals", "3")
      let text = try machine.mustAdminister(
        "restore-backup", file, "--yes", "--replace", "--configuration"
      ).text
      #expect(text.contains("/etc/mfa/mfa.conf: written"), "\(text)")
      let restored = try Command.succeed([
        "/bin/sh", "-c", "grep ^adjacent_intervals /etc/mfa/mfa.conf; stat -c %a /etc/mfa/mfa.conf",
      ])
      #expect(restored == "adjacent_intervals = 4\n644\n")
      // The store knew which codes were used.
      #expect(text.contains("Users can sign in at once."), "\(text)")
      #expect(try Self.signIn(service, user, try enrollment.phone.code()) == "PAM_SUCCESS")
    }

    @Test("a damaged backup, and one of another key, are refused without any change")
    func damaged() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let file = "/root/mfa-test-backup.tar"
      machine.atTheEnd("remove the backup") { try Command.succeed(["/bin/rm", "-f", file]) }
      try machine.mustAdminister("backup", file)
      try Command.succeed([
        "/bin/sh", "-c", "printf XXXXXXXX | dd of=$0 bs=1 seek=2000 conv=notrunc status=none",
        file,
      ])
      let before = try Self.sums()
      let arguments = [Self.admin, "restore-backup", file, "--yes", "--replace"]
      let refused = try Command.run(arguments)
      #expect(refused.status == .exited(1))
      #expect(refused.errorText.contains("nothing was changed"), "\(refused.errorText)")
      #expect(try Self.sums() == before)
      try machine.mustAdminister("backup", file, "--overwrite")
      try machine.mustAdminister("rekey", "--yes")
      let rekeyed = try Self.sums()
      let other = try Command.run(arguments)
      #expect(other.status == .exited(1))
      #expect(other.errorText.contains("a key that this host does not have"))
      #expect(try Self.sums() == rekeyed)
      #expect(try Self.signIn(service, user, try enrollment.phone.code()) == "PAM_SUCCESS")
    }

    @Test("each refusal says what to do, and what it names works")
    func hints() throws {
      _ = try machine.addEnrolledUser()
      let (file, key) = ("/root/mfa-test-backup.tar", "/root/mfa-test-key")
      machine.atTheEnd("remove the backup") {
        try Command.succeed(["/bin/rm", "-f", file, key, key + "-other"])
      }
      func refuses(_ arguments: [String], _ reason: String, _ hint: String) throws {
        let before = try Self.sums()
        let refused = try Command.run([Self.admin] + arguments)
        #expect(refused.status == .exited(1), "\(arguments): \(refused)")
        #expect(refused.errorText.contains(reason), "\(arguments): \(refused.errorText)")
        #expect(refused.errorText.contains(hint), "\(arguments): \(refused.errorText)")
        #expect(try Self.sums() == before, "\(arguments)")
      }
      try machine.mustAdminister("backup", file)
      try Command.succeed(["/bin/cp", "/etc/mfa/key", key])
      try refuses(["backup", file], "\(file) exists", "use --overwrite")
      try refuses(
        ["backup", "/tmp/mfa-backup.tar"], "/tmp/mfa-backup.tar is not trusted", "such as /root")
      try refuses(
        ["restore-backup", "/root/there-is-none", "--yes"], "/root/there-is-none: ",
        "check the path")
      try refuses(
        ["restore-backup", file, "--yes"], "the store has 1 record; nothing was changed",
        "use --replace")
      try machine.mustAdminister("rekey", "--yes")
      let restore = ["restore-backup", file, "--yes", "--replace"]
      try refuses(restore, "a key that this host does not have", "--key FILE")
      try Command.succeed(["/bin/cp", "/etc/mfa/key", key + "-other"])
      try refuses(
        restore + ["--key", key + "-other"], "was not sealed with the key in \(key)-other",
        "name the key that was in use")
      let restored = try Command.run([Self.admin] + restore + ["--key", key])
      #expect(restored.status == .exited(0), "\(restored)")
      // The store that was there is kept, as the hint says.
      let kept = try Command.succeed(["/bin/sh", "-c", "ls /var/lib/mfa.before-restore-*.tar"])
        .split(separator: "\n")
      machine.atTheEnd("remove the earlier store") {
        try Command.succeed(["/bin/rm", "-f"] + kept.map(String.init))
      }
      #expect(kept.count == 1, "\(kept)")
      // A change of the key that was begun has to be completed first.
      let next = "/etc/mfa/key.next"
      machine.atTheEnd("remove the next key") { try Command.succeed(["/bin/rm", "-f", next]) }
      try Command.succeed(["/bin/cp", "-p", "/etc/mfa/key", next])
      try refuses(["backup", file, "--overwrite"], "is not complete", "mfa-admin rekey")
    }
  }
}
