import Foundation
import MFATestSupport
import Testing

extension Faults {
  /// `mfa-admin backup` and `restore-backup` when a system call fails or the process is killed.
  @Suite struct RestoreFaults {
    static let admin = "/usr/sbin/mfa-admin"
    static let file = "/root/mfa-test-backup.tar"
    static let earlier = "/var/lib/mfa.before-restore-*.tar"

    @Test("wherever restore-backup ends, no used code is accepted, and it can be repeated")
    func everyChangingCall() throws {
      try Machine.use { machine in
        try machine.emptyStore()
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(SignInFaults.stack)
        machine.atTheEnd("remove the backups") {
          try Command.succeed(["/bin/sh", "-c", "rm -f \(Self.file) \(Self.earlier)"])
        }
        try Command.succeed([Self.admin, "backup", Self.file])
        let used = try enrollment.phone.code(offset: 5)
        #expect(
          try PAMClient.signIn(service: service, user: user.name, answers: [.text(used)]).code
            == "PAM_SUCCESS")
        try Command.succeed([
          "/bin/sh", "-c", "cp -a /var/lib/mfa $0/store; cp -a /etc/mfa/identity $0",
          machine.folder,
        ])
        let arguments = [Self.admin, "restore-backup", Self.file, "--replace", "--yes"]
        let list = machine.folder + "/calls"
        try Command.succeed(SystemCallTrace.list(to: list) + arguments)
        let calls = try SystemCallTrace.calls(inListAt: list, from: "mfa-test-backup")
          .filter { Faults.isChanging($0) }
        #expect(calls.count > 30, "\(calls)")
        for call in calls {
          for fault in [SystemCallTrace.Fault.kill, .error("ENOSPC")] {
            try Command.succeed([
              "/bin/sh", "-c",
              "rm -rf /var/lib/mfa/* \(Self.earlier) /etc/mfa/identity; cp -a $0/store/. /var/lib/mfa;"
                + "cp -a $0/identity /etc/mfa",
              machine.folder,
            ])
            let title = "\(call) \(fault): \(call.line)"
            _ = try Command.run(SystemCallTrace.inject(fault, at: call) + arguments)
            for state in ["interrupted", "repeated"] {
              let outcome = try PAMClient.signIn(
                service: service, user: user.name, answers: [.text(used)])
              #expect(outcome.code == "PAM_AUTH_ERR", "\(title), \(state): \(outcome)")
              try Command.succeed(["/bin/sh", "-c", "rm -f \(Self.earlier)"])
              guard state == "interrupted" else { continue }
              let next = try Command.run(arguments)
              #expect(next.status == .exited(0), "\(title): \(next.errorText)")
            }
            let verified = try Command.run([Self.admin, "audit-log", "verify"])
            #expect(verified.status == .exited(0), "\(title): \(verified.text)")
          }
        }
      }
    }
  }
}
