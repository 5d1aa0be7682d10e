import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// `mfa-admin repair` after real changes of owners and permissions, and a real sign-in afterwards.
  @Suite struct Repairing {
    static let stack = ["auth required pam_mfa.so", "account required pam_permit.so"]

    /// The owner, the group and the permissions of each file of the store and the configuration.
    static func state() throws -> [String] {
      try Command.succeed([
        "/usr/bin/find", "/etc/mfa", "/var/lib/mfa", "-printf", "%p %U:%G %m\\n",
      ]).split(separator: "\n").map { String($0) }.sorted()
    }

    /// Gives everything back what it had when the test ends.
    static func keep(_ machine: Machine) throws {
      let before = try state()
      machine.atTheEnd("the owners and permissions") {
        for line in before {
          let fields = line.split(separator: " ")
          guard fields.count == 3 else { continue }
          try shell(
            "[ ! -e '\(fields[0])' ] || { chown \(fields[1]) '\(fields[0])'; chmod \(fields[2]) '\(fields[0])'; }"
          )
        }
      }
    }

    static func shell(_ script: String) throws { try Command.succeed(["/bin/sh", "-c", script]) }

    @Test("a host as it was installed, with everything in use, needs no repair")
    func soundHost() throws {
      try machine.keepConfiguration()
      try machine.keepServices()
      _ = try machine.addEnrolledUser()
      try machine.mustAdminister("config", "set", "--file", "20-a.conf", "issuer", "A")
      try machine.mustAdminister("config", "set", "--file", "20-a.conf", "issuer", "B")
      try machine.mustAdminister("break-glass", "root")
      try machine.mustAdminister("enable", "--no-confirm", "sudo")
      for arguments in [["--dry-run"], []] {
        let command = try Command.run([ServiceFiles.program, "repair"] + arguments)
        #expect(command.status == .exited(0), "\(command.text) \(command.errorText)")
        #expect(command.text == "owners and permissions are as they have to be\n")
      }
    }

    static let mistakes = [
      "chown -R nobody:nogroup /etc/mfa /var/lib/mfa",
      "chown -R root:root /etc/mfa /var/lib/mfa; chmod -R 0755 /etc/mfa /var/lib/mfa",
      "chmod -R 0777 /etc/mfa /var/lib/mfa",
      "chmod -R 0600 /etc/mfa /var/lib/mfa",
    ]

    @Test("after a wrong chown or chmod, sign-ins are denied until the repair", arguments: mistakes)
    func wrongOwner(mistake: String) throws {
      try machine.keepConfiguration()
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(Self.stack)
      try Self.keep(machine)
      let before = try Self.state()
      try Self.shell(mistake)
      #expect(try user.signIn(to: service, typing: "000000").code == "PAM_AUTH_ERR")
      let wrong = try Self.state()
      let doctor = try machine.administer("doctor").text
      #expect(doctor.contains("\n  mfa-admin repair\n"), "\(doctor)")

      let dry = try machine.administer("repair", "--dry-run")
      #expect(dry.status == .exited(1), "\(dry.text)")
      #expect(dry.errorText.contains(" files have to be repaired\n"), "\(dry.errorText)")
      #expect(dry.errorText.contains("hint: mfa-admin repair\n"))
      #expect(try Self.state() == wrong)

      let start = try machine.log.position()
      let repair = try machine.administer("repair")
      #expect(repair.status == .exited(0), "\(repair.text) \(repair.errorText)")
      #expect(repair.text == dry.text)
      let entries = try machine.log.entries(since: start).filter { $0.line.contains("mfa-admin") }
      #expect(entries.contains { $0.fields["result"] == "repaired" }, "\(entries)")
      if mistake.hasPrefix("chown -R nobody") {
        // A file can be created or removed meanwhile, and the group of root is as good as that of mfa.
        func owners(_ lines: [String]) -> [Substring: String] {
          let fields = lines.map { $0.split(separator: " ") }.filter { $0.count == 3 }
          return Dictionary(
            uniqueKeysWithValues: fields.map { ($0[0], $0[1].prefix { $0 != ":" } + " " + $0[2]) })
        }
        let old = owners(before)
        for (path, owner) in owners(try Self.state()) where old[path] != nil {
          #expect(old[path] == owner, "\(path)")
        }
        #expect(
          repair.text.contains("/etc/mfa/key: owner nobody:nogroup -> mfa:mfa\n"), "\(repair.text)")
        #expect(
          repair.text.contains("warning: /etc/mfa/key: the user nobody could read the key"),
          "\(repair.text)"
        )
        #expect(repair.text.contains("mfa-admin rekey"))
      }
      #expect(!(try machine.administer("doctor").text.contains("[ownership]")))
      #expect(try machine.administer("repair", "--dry-run").status == .exited(0))
      let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }

    @Test("links, other types and files of others are named, and nothing behind them is changed")
    func foreign() throws {
      try machine.keepConfiguration()
      try Self.keep(machine)
      let target = machine.folder + "/target"
      try machine.write("x", to: target, owner: "daemon", group: "daemon", mode: "0604")
      let folder = machine.folder + "/folder"
      try Self.shell(
        "install -d -o daemon -m 0705 \(folder); touch \(folder)/x; chown daemon \(folder)/x")
      let store = "/var/lib/mfa"
      try Self.shell(
        """
        cd \(store)/factors; ln -s \(target) link; mkfifo -m 0777 fifo; install -d -o daemon folder
        ln \(target) \(store)/attempts/hard 2>/dev/null || { cp -a \(target) other; ln other \(store)/attempts/hard; }
        rm -rf /etc/mfa/mfa.conf.d; ln -s \(folder) /etc/mfa/mfa.conf.d
        touch /etc/mfa/notes.txt; chown daemon /etc/mfa/notes.txt
        truncate -s 31 /etc/mfa/key; chown root /etc/mfa/key
        """)
      machine.atTheEnd("remove the files") {
        try Self.shell(
          "cd \(store)/factors; rm -rf link fifo folder other ../attempts/hard")
      }
      func foreign() throws -> String {
        try Command.succeed([
          "/bin/sh", "-c",
          "stat -c '%n %U %G %a' \(target) \(folder) \(folder)/x /etc/mfa/notes.txt "
            + "\(store)/factors/fifo \(store)/factors/folder \(store)/attempts/hard; stat -Lc '%U %a' \(store)/factors/link",
        ])
      }
      let before = try foreign()
      let repair = try machine.administer("repair")
      #expect(repair.status == .exited(1), "\(repair.text)")
      #expect(try foreign() == before)
      let text = repair.text
      for part in [
        "error: \(store)/factors/link: is a link or device, not a file, and was not changed",
        "error: \(store)/factors/fifo: is a link or device, not a file",
        "error: \(store)/factors/folder: is a folder, not a file",
        "error: \(store)/attempts/hard: has 2 hard links, and was not changed",
        "find / -xdev -samefile \(store)/attempts/hard",
        "error: /etc/mfa/mfa.conf.d: is a link or device, not a folder",
        "warning: /etc/mfa/notes.txt: is not a file of mfa, belongs to the user daemon, and was not changed",
        "/etc/mfa/key: owner root:mfa -> mfa:mfa\n",
        "error: /etc/mfa/key: has 31 bytes, expected 32",
      ] {
        #expect(text.contains(part), "\(part): \(text)")
      }
      try Self.shell("rm /etc/mfa/key")
      #expect(try machine.administer("repair").text.contains("error: /etc/mfa/key: is missing"))
      #expect(
        try Command.run([ServiceFiles.program, "repair"], as: machine.addUser().identity).status
          == .exited(77))
    }
  }
}
