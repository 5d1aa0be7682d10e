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
      try machine.emptyStore()
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(SignInFaults.stack)
      machine.atTheEnd("remove the backups") {
        try Command.shell("rm -f \(Self.file) \(Self.earlier)")
      }
      try machine.mustAdminister("backup", Self.file)
      let used = try enrollment.phone.code(offset: 5)
      #expect(
        try user.signIn(to: service, typing: used).code
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
            let outcome = try user.signIn(to: service, typing: used)
            #expect(outcome.code == "PAM_AUTH_ERR", "\(title), \(state): \(outcome)")
            try Command.shell("rm -f \(Self.earlier)")
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

  /// Tests `mfa-admin rekey` when a system call fails, and when the process is killed.
  @Suite struct RekeyFaults {
    static let admin = "/usr/sbin/mfa-admin"

    @Test("wherever rekey ends, users sign in with unused codes only, and rekey can be completed")
    func everyChangingCall() throws {
      try machine.emptyStore()
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(SignInFaults.stack)
      let recovery = try machine.makeRecoveryCodes(user, enrollment, offset: -4)[0]
      try Command.succeed([
        "/bin/sh", "-c", "cp -a /etc/mfa/key /etc/mfa/identity $0; cp -a /var/lib/mfa $0/store",
        machine.folder,
      ])
      let reset = {
        _ = try Command.succeed([
          "/bin/sh", "-c",
          "rm -rf /etc/mfa/key* /etc/mfa/.key* /etc/mfa/identity; cp -a $0/key $0/identity /etc/mfa;"
            + "rm -rf /var/lib/mfa/*;"
            + "cp -a $0/store/. /var/lib/mfa", machine.folder,
        ])
      }
      let list = machine.folder + "/calls"
      try Command.succeed(SystemCallTrace.list(to: list) + [Self.admin, "rekey", "--yes"])
      let calls = try SystemCallTrace.calls(inListAt: list, from: "key.next")
        .filter { Faults.isChanging($0) }
      #expect(calls.count > 30, "\(calls)")
      var ends: Set<String> = []
      for call in calls {
        for fault in [SystemCallTrace.Fault.kill, .error("EIO"), .error("ENOSPC")] {
          try reset()
          let title = "\(call) \(fault): \(call.line)"
          let ended = try Command.run(
            SystemCallTrace.inject(fault, at: call) + [Self.admin, "rekey", "--yes"])
          let isPending = FileManager.default.fileExists(atPath: "/etc/mfa/key.next")
          ends.insert(isPending ? "pending" : ended.status == .exited(0) ? "done" : "nothing")
          try expectSignIns(user, service, try enrollment.phone.code(), title)
          let next = try Command.run([Self.admin, "rekey", "--yes"])
          #expect(next.status == .exited(0), "\(title): \(next.errorText)")
          #expect(!FileManager.default.fileExists(atPath: "/etc/mfa/key.next"), "\(title)")
          try expectSignIns(user, service, recovery, "\(title), completed")
          let verified = try Command.run([Self.admin, "audit-log", "verify"])
          #expect(verified.status == .exited(0), "\(title): \(verified.text)")
        }
      }
      #expect(ends == ["pending", "done", "nothing"])
    }

    /// Expects that the code is accepted once.
    private func expectSignIns(
      _ user: MachineUser, _ service: String, _ code: String, _ title: String
    ) throws {
      for expected in ["PAM_SUCCESS", "PAM_AUTH_ERR"] {
        let outcome = try user.signIn(to: service, typing: code)
        #expect(outcome.code == expected, "\(title): \(outcome)")
      }
    }
  }
}
