import Foundation
import MFATestSupport
import Testing

extension Faults {
  /// `mfa-admin enable`, `confirm` and `disable` when a system call fails or the process is killed:
  /// at every moment each file is either the old or the new one, and the next command or the
  /// rollback watcher restores everything.
  @Suite struct ChangeFaults {
    /// System calls that change something, or that decide the next change.
    static let changing: Set<String> = [
      "clone", "clone3", "connect", "fchmod", "fchown", "flock", "fsync", "ftruncate", "mkdir",
      "mkdirat", "pipe2", "pwrite64", "rename", "renameat", "renameat2", "sendto", "unlink",
      "unlinkat", "vfork", "wait4", "write",
    ]

    static func isChanging(_ call: SystemCall) -> Bool {
      changing.contains(call.name) || call.line.contains("O_CREAT")
    }

    /// Returns the calls of a command that change something.
    static func calls(of arguments: [String], _ machine: Machine) throws -> [SystemCall] {
      let list = machine.folder + "/calls"
      let done = try Command.run(
        SystemCallTrace.list(to: list) + [ServiceFiles.program] + arguments)
      try #require(done.status == .exited(0), "\(done.errorText)")
      let calls = try SystemCallTrace.calls(inListAt: list, from: "flock")
      return calls.filter { isChanging($0) }
    }

    /// Provides a machine on which only the next command rolls back changes, because the simulated
    /// systemd reports the rollback watcher as started without starting it.
    static func withLonelyMachine(_ body: (Machine) throws -> Void) throws {
      try machine.keepServices()
      try Command.succeed(["/bin/mkdir", "-p", "/run/systemd/system"])
      machine.atTheEnd("stop systemd") {
        try Command.succeed(["/bin/rm", "-r", "/run/systemd/system"])
      }
      for tool in ["systemd-run", "systemctl"] {
        try machine.write("#!/bin/sh\nexit 0\n", to: "/usr/bin/\(tool)", mode: "0755")
      }
      try body(machine)
    }

    /// Expects that every file has its original or its intended content.
    func expectWhole(_ files: ServiceFiles, _ new: ServiceFiles.State, _ title: String) {
      for (index, present) in files.present.contents.enumerated() {
        let isWhole = present == files.old.contents[index] || present == new.contents[index]
        #expect(isWhole, "\(title): half of \(files.paths[index])")
      }
    }

    static let faults: [SystemCallTrace.Fault] = [.kill, .error("EIO"), .error("ENOSPC")]

    @Test(
      "enable: files are old or new at every moment, and the next command finishes",
      arguments: ["sshd", "sudo"])
    func enable(service: String) throws {
      try Self.withLonelyMachine { machine in
        let files = ServiceFiles(service == "sudo" ? ["sudo", "sudo-i"] : [service])
        let arguments = ["enable", service, "--untried", "--confirm-within", "24h"]
        let calls = try Self.calls(of: arguments, machine)
        let new = files.present
        #expect(new != files.old)
        #expect(calls.count > 15, "\(calls)")
        _ = try machine.administer("restore", "--boot")
        try #require(files.isRestored)
        var ends: Set<String> = []
        for call in calls {
          for fault in Self.faults {
            let title = "\(call) \(fault): \(call.line)"
            let command = try Command.run(
              SystemCallTrace.inject(fault, at: call) + [ServiceFiles.program] + arguments)
            expectWhole(files, new, title)
            if command.status == .exited(0) {
              // The change is complete and pending.
              ends.insert("stands")
              #expect(files.present == new && ServiceFiles.waiting == [service], "\(title)")
            } else if !ServiceFiles.waiting.isEmpty {
              ends.insert("left")
            } else {
              ends.insert("nothing")
              #expect(files.present == files.old, "\(title): \(command.errorText)")
            }
            // Any command rolls back an incomplete change; a complete one is rolled back at the
            // next boot.
            let next = try machine.administer("services")
            #expect(next.status == .exited(0), "\(title): \(next.errorText)")
            if command.status != .exited(0), files.present != new {
              #expect(files.isRestored, "\(title): \(files.present)")
            }
            #expect(try machine.administer("restore", "--boot").status == .exited(0), "\(title)")
            #expect(files.isRestored, "\(title)")
            let drafts = try Self.drafts()
            #expect(drafts.isEmpty, "\(title): \(drafts)")
          }
        }
        #expect(ends == ["stands", "left", "nothing"])
      }
    }

    @Test("if enable is killed, the rollback watcher restores all files at once")
    func rollbackWatcherRestoresAfterKill() throws {
      try machine.keepServices()
      let files = ServiceFiles(["sudo", "sudo-i"])
      let arguments = ["enable", "sudo", "--untried", "--confirm-within", "24h"]
      // The first change also creates the audit log, with calls that the later ones do not make.
      _ = try Command.run([ServiceFiles.program] + arguments)
      _ = try machine.administer("restore", "--boot")
      let calls = try Self.calls(of: arguments, machine)
      let new = files.present
      _ = try machine.administer("restore", "--boot")
      // The first process predicts sign-ins, the second loads the module, and the last one is the rollback
      // watcher.
      let started = calls.indices.filter {
        ["clone", "clone3", "vfork"].contains(calls[$0].name)
      }
      try #require(started.count == 3, "\(calls)")
      var restored = 0
      for call in calls[(started[2] + 1)...] {
        let command = try Command.run(
          SystemCallTrace.inject(.kill, at: call) + [ServiceFiles.program] + arguments)
        expectWhole(files, new, "\(call)")
        guard command.status != .exited(0) else { continue }
        // The process was killed after the last step, so the change is complete.
        if files.present == new, try Self.isStanding("sudo") {
          _ = try machine.administer("restore", "--boot")
          continue
        }
        #expect(Deadline.usual.waits { files.isRestored }, "\(call): \(files.present)")
        restored += 1
      }
      #expect(restored > 5, "\(started) of \(calls)")
    }

    static func isStanding(_ service: String) throws -> Bool {
      let record = FileManager.default.contents(atPath: "\(ServiceFiles.pending)/\(service)")
      return String(decoding: record ?? Data(), as: UTF8.self).contains("\nstage standing\n")
    }

    @Test(
      "disable and restore: files are old or new at every moment, and the next command finishes",
      arguments: [["disable", "sshd"], ["restore"]])
    func undo(arguments: [String]) throws {
      try Self.withLonelyMachine { machine in
        let files = ServiceFiles(["sshd"])
        func enable() throws {
          let time = arguments[0] == "disable" ? "--no-confirm" : "--confirm-within=24h"
          let enabled = try machine.administer("enable", time, "--untried", "sshd")
          try #require(enabled.status == .exited(0), "\(enabled.errorText)")
          guard arguments == ["restore"] else { return }
          // Simulates a change that was made before the last reboot.
          try Command.succeed([
            "/bin/sed", "-i", "s/^deadline [^ ]* /deadline another-boot /",
            ServiceFiles.pending + "/sshd",
          ])
        }
        try enable()
        let new = files.present
        let calls = try Self.calls(of: arguments, machine)
        try #require(files.isRestored && calls.count > 8, "\(calls)")
        var ends: Set<String> = []
        for call in calls {
          for fault in Self.faults {
            let title = "\(call) \(fault): \(call.line)"
            try enable()
            let command = try Command.run(
              SystemCallTrace.inject(fault, at: call) + [ServiceFiles.program] + arguments)
            expectWhole(files, new, title)
            if command.status == .exited(0) { #expect(files.isRestored, "\(title)") }
            ends.insert(
              files.present == new ? "on" : files.present == files.old ? "off" : "between")
            // Either the service is disabled, or the command has changed nothing.
            #expect(try machine.administer("services").status == .exited(0), "\(title)")
            #expect(ServiceFiles.waiting.isEmpty, "\(title)")
            if files.present != new || arguments == ["restore"] {
              #expect(files.isRestored, "\(title)")
            }
            #expect(try machine.administer("disable", "sshd").status == .exited(0), "\(title)")
            #expect(files.isRestored && ServiceFiles.enabled.isEmpty, "\(title)")
          }
        }
        #expect(ends.isSuperset(of: ["on", "off"]))
      }
    }

    @Test("a full disk does not prevent the rollback")
    func fullDisk() throws {
      try Self.withLonelyMachine { machine in
        let files = ServiceFiles(["sshd"])
        let enabled = try machine.administer("enable", "sshd")
        try #require(enabled.status == .exited(0), "\(enabled.errorText)")
        let restored = try Command.run([
          "/usr/bin/strace", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
          "inject=pwrite64:error=ENOSPC", ServiceFiles.program, "restore", "--boot",
        ])
        #expect(restored.status == .exited(0), "\(restored.errorText)")
        #expect(files.isRestored)
        #expect(try Self.drafts().isEmpty)
      }
    }

    /// Returns leftover drafts and backups of service files.
    static func drafts() throws -> String {
      try Command.succeed([
        "/usr/bin/find", "/etc/pam.d", "/etc/ssh", "-name", "*.mfa-new", "-o", "-name", "*.mfa-old",
      ])
    }

    @Test("confirm: the change is pending or confirmed at every moment")
    func confirm() throws {
      try Self.withLonelyMachine { machine in
        let user = try machine.addUser()
        try machine.write(
          "\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/confirm", mode: "0440")
        let files = ServiceFiles(["sudo", "sudo-i"])
        func confirm(through command: [String]) throws -> Command {
          _ = try machine.administer("enable", "sudo", "--untried", "--confirm-within", "24h")
          return try Command.run(
            ["/usr/bin/sudo", "-S"] + command + [ServiceFiles.program, "confirm"],
            input: Array("\(user.password)\n".utf8), as: user.identity)
        }
        let list = machine.folder + "/calls"
        let done = try confirm(through: SystemCallTrace.list(to: list))
        try #require(done.status == .exited(0), "\(done.errorText)")
        let calls = try SystemCallTrace.calls(inListAt: list, from: "flock")
          .filter { Self.isChanging($0) }
        let new = files.present
        for call in calls {
          for fault in Self.faults {
            let title = "\(call) \(fault): \(call.line)"
            _ = try machine.administer("disable", "sudo")
            try #require(files.isRestored)
            let command = try confirm(through: SystemCallTrace.inject(fault, at: call))
            #expect(files.present == new, "\(title)")
            let isWaiting = ServiceFiles.waiting == ["sudo"]
            #expect(isWaiting != (ServiceFiles.enabled == ["sudo"]), "\(title)")
            #expect(!isWaiting || command.status != .exited(0), "\(title)")
            #expect(try machine.administer("restore", "--boot").status == .exited(0), "\(title)")
            #expect(isWaiting ? files.isRestored : files.present == new, "\(title)")
          }
        }
      }
    }
  }
}
