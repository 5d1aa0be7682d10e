import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// A store on a file system of its own that is mounted read-only, or is full.
  @Suite struct StoreWithoutSpace {
    static let stack = [
      "auth required pam_mfa.so tries=1", "auth required pam_permit.so",
      "account required pam_mfa.so",
      "account required pam_permit.so",
    ]

    /// Moves the store of the machine to a file system of 1 MiB until the test ends.
    private static func mount(_ machine: Machine) throws {
      try machine.keepConfiguration()
      try shell(
        "mkdir /run/mfa-copy; cp -a /var/lib/mfa/. /run/mfa-copy/; "
          + "mount -t tmpfs -o size=1m,mode=0700,uid=mfa,gid=mfa store /var/lib/mfa; "
          + "cp -a /run/mfa-copy/. /var/lib/mfa/; rm -rf /run/mfa-copy")
      machine.atTheEnd("unmount the store") { try Self.shell("umount -l /var/lib/mfa") }
    }

    private static func shell(_ command: String) throws {
      try Command.shell("set -e; \(command)")
    }

    /// Returns what `auditLog verify` finds: records of other tests may not match.
    private static func verified(_ machine: Machine) throws -> String {
      try machine.administer("audit-log", "verify").errorText
    }

    private func signIn(
      _ user: MachineUser, _ service: String, _ answers: [String]
    ) throws -> PAMOutcome {
      try PAMClient.signIn(service: service, user: user.name, answers: answers.map { .text($0) })
    }

    @Test("a read-only store denies nobody without a factor, and a prepared code lets root in")
    func readOnly() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let service = try machine.makeService(Self.stack)
      try Self.mount(machine)
      let verified = try Self.verified(machine)
      try Self.shell("mount -o remount,ro /var/lib/mfa")
      #expect(try signIn(other, service, []).code == "PAM_SUCCESS")
      let start = try machine.log.position()
      let denied = try signIn(user, service, [try enrollment.phone.code()])
      #expect(denied.code == "PAM_AUTH_ERR", "\(denied)")
      let entry = try OneCode.logged(machine, since: start).last
      #expect(entry?.fields["result"] == "error" && entry?.fields["reason"] == "read-only")
      let explained = try machine.administer("explain", "--user", user.name, "--service", service)
      #expect(explained.text.contains("read-only"), "\(explained.text)")
      for command in [["list"], ["show", user.name]] {
        let read = try Command.run([ServiceFiles.program] + command)
        #expect(read.status == .exited(0), "\(command): \(read.errorText)")
      }
      #expect(try Self.verified(machine) == verified)
      let refused = try machine.administer("revoke", "--yes", "--all", user.name)
      #expect(
        refused.status == .exited(1) && refused.errorText.contains("mount -o remount,rw"),
        "\(refused.errorText)")
      try Self.shell("mount -o remount,rw /var/lib/mfa")
      try breakGlass(machine, user, enrollment, service)
    }

    private func breakGlass(
      _ machine: Machine, _ user: MachineUser, _ enrollment: Enrollment, _ service: String
    ) throws {
      let made = try machine.mustAdminister("break-glass", user.name)
      let code = String(made.text.split(separator: "\n").first ?? "")
      let found = try Doctor.found(try Doctor.examine(["--json"]))
      #expect(found.contains("note break-glass-prepared /etc/mfa/break-glass"), "\(found)")
      // While the store works, the code is a wrong one.
      #expect(try signIn(user, service, [code]).code == "PAM_AUTH_ERR")
      try Self.shell("mount -o remount,ro /var/lib/mfa")
      let explained = try machine.administer("explain", "--user", user.name, "--service", service)
      #expect(explained.text.contains("break-glass code"), "\(explained.text)")
      let start = try machine.log.position()
      let app = try enrollment.phone.code(offset: 1)
      #expect(try signIn(user, service, [app, app]).code == "PAM_AUTH_ERR")
      let allowed = try signIn(user, service, [app, code])
      #expect(allowed.code == "PAM_SUCCESS", "\(allowed)")
      let entry = try OneCode.logged(machine, since: start).last
      #expect(entry?.fields["result"] == "break-glass" && entry?.severity == 1, "\(entry as Any)")
      #expect(entry?.fields["reason"] == "read-only")
      try machine.mustAdminister("break-glass", "--remove")
      #expect(try signIn(user, service, [app]).code == "PAM_AUTH_ERR")
      try Self.shell("mount -o remount,rw /var/lib/mfa")
      #expect(try signIn(user, service, [app]).code == "PAM_SUCCESS")
    }

    @Test("on a full disk, codes are accepted, and an administrator changes and revokes factors")
    func full() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(Self.stack)
      try Self.mount(machine)
      // A change allocates the reserve.
      let bypass = ["bypass", "--reason", "test", user.name]
      #expect(try Command.run([ServiceFiles.program] + bypass).status == .exited(0))
      let verified = try Self.verified(machine)
      _ = try Command.run([
        "/bin/sh", "-c", "dd if=/dev/zero of=/var/lib/mfa/filler bs=1k status=none",
      ])
      let signedIn = try signIn(user, service, [try enrollment.phone.code(offset: 1)])
      #expect(signedIn.code == "PAM_SUCCESS", "\(signedIn)")
      for command in [
        bypass, ["unlock", user.name], ["forget", user.name],
        ["withdraw", "--all", user.name], ["revoke", "--yes", "--all", user.name],
      ] {
        let done = try Command.run([ServiceFiles.program] + command)
        #expect(done.status == .exited(0), "\(command): \(done.errorText)")
      }
      let ticket = try machine.administer("ticket", try machine.addUser().name)
      #expect(
        ticket.status == .exited(1) && ticket.errorText.contains("journalctl --vacuum-size"),
        "\(ticket.errorText)")
      #expect(try Self.verified(machine) == verified)
    }
  }
}
