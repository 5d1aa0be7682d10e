import MFATestSupport
import Testing

extension EndToEnd {
  /// A store that is missing, empty, older or from another machine, with a real sshd: a password alone is
  /// not enough, and every tool reports the store.
  @Suite struct ForeignStores {
    static let admin = "/usr/sbin/mfa-admin"
    static let makeStore = "/usr/lib/mfa/make-store"

    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      /// A shell command; `$s` is a folder with an earlier copy of the store and of its identity.
      let change: String
      var difference: String
      var testDescription: String { title }
    }

    static let rows = [
      Row(
        title: "moved away, and the script of the package",
        change: "mv /var/lib/mfa /var/lib/mfa.away; ! \(makeStore)", difference: "missing"),
      Row(
        title: "a file system that is not mounted yet",
        change: "mount -t tmpfs none /var/lib/mfa; ! \(makeStore)", difference: "missing"),
      Row(
        title: "an empty volume with the folders of a store",
        change: """
          mount -t tmpfs -o mode=0700,uid=mfa,gid=mfa none /var/lib/mfa
          install -d -o mfa -g mfa -m 2700 /var/lib/mfa/factors /var/lib/mfa/attempts /var/lib/mfa/uids
          install -o mfa -g mfa -m 0600 /dev/null /var/lib/mfa/audit-log.head
          \(makeStore)
          """, difference: "empty"),
      Row(
        title: "an earlier copy", change: "rm -r /var/lib/mfa; cp -a $s/store /var/lib/mfa",
        difference: "older"),
      Row(
        title: "the store and the identity of another machine",
        change: """
          tr a-f0-9 b-f0-9a </etc/machine-id >$s/id; cat $s/id >/etc/machine-id; touch /var/lib/mfa
          """,
        difference: "other-machine"),
      Row(
        title: "a store beside a new identity",
        change: "head -c 512 /dev/zero >/etc/mfa/identity/store", difference: "other-store"),
      Row(
        title: "no identity", change: "rm -r /etc/mfa/identity; ! \(makeStore)",
        difference: "no-identity"),
    ]

    private static func shell(_ script: String, _ folder: String) throws {
      try Command.succeed(["/bin/sh", "-ec", "s=\(folder)\n" + script])
    }

    /// Returns whether the password alone signs in.
    private static func passwordSignsIn(
      _ user: MachineUser, _ server: PrivateServer
    ) throws -> Bool {
      let session = try server.signIn(
        user.name, command: "echo uid=$(id -un)", options: ["NumberOfPasswordPrompts=1"])
      try session.answer("Password: ", with: user.password)
      _ = try session.waitForExit()
      return session.text.contains("uid=\(user.name)")
    }

    private static func withStore(
      _ body: (Machine, MachineUser, Enrollment, _ folder: String) throws -> Void
    ) throws {
      try machine.emptyStore()
      try machine.keep("/etc/machine-id")
      try shell(
        "[ -s /etc/machine-id ] || head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n' "
          + ">/etc/machine-id", "/")
      let (user, enrollment) = try machine.addEnrolledUser()
      let folder = machine.folder
      try shell("cp -a /var/lib/mfa $s/store", folder)
      _ = try machine.makeRecoveryCodes(user, enrollment, offset: -4)
      try shell(
        "cp -a /var/lib/mfa $s/own; cp -a /etc/mfa/identity $s; cp /etc/machine-id $s", folder)
      try body(machine, user, enrollment, folder)
    }

    /// Puts the host's own store back.
    private static func putBack(_ folder: String) throws {
      try shell(
        """
        while mountpoint -q /var/lib/mfa; do umount -l /var/lib/mfa; done
        rm -rf /var/lib/mfa /var/lib/mfa.away /etc/mfa/identity
        cp -a $s/own /var/lib/mfa; cp -a $s/identity /etc/mfa; cat $s/machine-id >/etc/machine-id
        """, folder)
    }

    @Test("a store that is not the host's own lets nobody in with a password alone")
    func denied() throws {
      try Self.withStore { machine, user, enrollment, folder in
        let stranger = try machine.addUser()
        try machine.changeService(
          "sshd",
          authentication: OneCode.lines(
            try Guide.blocks(under: "ssh: the password, then a code")[0], tries: 1))
        let server = try PrivateServer(
          on: machine, settings: try Guide.blocks(under: "ssh: the password, then a code")[1])
        machine.atTheEnd("put the store back") { try Self.putBack(folder) }
        #expect(try Self.passwordSignsIn(stranger, server), "a user without a factor")
        for row in Self.rows {
          try Self.shell(row.change, folder)
          let start = try machine.log.position()
          for person in [user, stranger] {
            #expect(try !Self.passwordSignsIn(person, server), "\(row): \(person.name)")
          }
          let entries = try OneCode.logged(machine, since: start)
          #expect(
            entries.map { $0.fields["reason"] } == ["store-foreign", "store-foreign"],
            "\(row): \(entries)")
          #expect(
            entries.allSatisfy { $0.fields["difference"] == row.difference }, "\(row): \(entries)")
          // Every tool says that the store is not the host's own, and what to do.
          let doctor = try Doctor.examine(["--json"])
          #expect(
            try Doctor.found(doctor).contains("error store-foreign /var/lib/mfa"),
            "\(row): \(doctor.text)")
          #expect(doctor.text.contains("mfa-admin adopt-store"), "\(row)")
          for command in [["check"], ["audit-log", "verify"], ["list"], ["show", user.name]] {
            let ended = try Command.run([Self.admin] + command)
            #expect(ended.status != .exited(0), "\(row): \(command): \(ended.text)")
          }
          #expect(throws: (any Error).self, "\(row)") { _ = try machine.enroll(stranger) }
          try Self.putBack(folder)
        }
        let service = try machine.makeService(OneCode.stack)
        let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
    }

    @Test("adopt-store says what it means, and the present store is the host's own afterwards")
    func adopted() throws {
      try Self.withStore { machine, user, enrollment, folder in
        let service = try machine.makeService(OneCode.stack)
        machine.atTheEnd("put the store back") { try Self.putBack(folder) }
        func signIn(_ offset: Int) throws -> String? {
          try user.signIn(to: service, typing: try enrollment.phone.code(offset: offset)).code
        }
        let nothing = try machine.mustAdminister("adopt-store", "--yes").text
        #expect(nothing.contains("nothing was changed"))
        for row in Self.rows {
          try Self.shell(row.change, folder)
          let unasked = try Command.run([Self.admin, "adopt-store"])
          #expect(unasked.status == .exited(64), "\(row): \(unasked.errorText)")
          #expect(try signIn(0) == "PAM_AUTH_ERR", "\(row)")
          let start = try machine.log.position()
          let adopted = try Command.run([Self.admin, "adopt-store", "--yes"])
          #expect(adopted.status == .exited(0), "\(row): \(adopted.errorText)")
          let isEmpty = ["missing", "empty"].contains(row.difference)
          #expect(
            adopted.text.contains(isEmpty ? "no user has a factor" : "the factors of 1 user"),
            "\(row): \(adopted.text)")
          if row.difference == "older" {
            #expect(adopted.text.contains("1 change is missing"), "\(adopted.text)")
          }
          // A log that is not the host's own cannot tell which configuration was recorded.
          let results = try machine.log.entries(since: start).compactMap { $0.fields["result"] }
            .filter { $0 != "policy-changed" }
          #expect(results == ["store-adopted"], "\(row): \(results)")
          #expect(try signIn(0) == (isEmpty ? "PAM_PERM_DENIED" : "PAM_SUCCESS"), "\(row)")
          try Rekeying.expectIntactStore("\(row)")
          let shown = try machine.mustAdminister("audit-log", "show", "--last", "2").text
          #expect(
            shown.contains("store-adopted") && shown.contains(row.difference), "\(row): \(shown)")
          // An upgrade keeps the store.
          try Command.succeed([Self.makeStore])
          try Self.putBack(folder)
        }
      }
    }

    @Test("on a host of a realm, a store that was cloned can be adopted, and services change again")
    func adoptedInRealm() throws {
      try Self.withStore { machine, _, _, folder in
        let row = try #require(Self.rows.first { $0.difference == "other-machine" })
        machine.atTheEnd("put the store back") { try Self.putBack(folder) }
        try machine.write("example.org\n", to: "/etc/mfa/realm")
        try machine.write(
          "@include common-auth\n@include common-account\n", to: "/etc/pam.d/vlock")
        let enabling = [Self.admin, "enable", "--no-confirm", "vlock"]
        try Self.shell(row.change, folder)
        let refused = try Command.run(enabling)
        #expect(refused.status != .exited(0) && refused.errorText.contains("mfa-admin adopt-store"))
        let doctor = try Doctor.examine(["--json"])
        #expect(try Doctor.found(doctor).contains("error store-foreign /var/lib/mfa"))
        let adopted = try Command.run([Self.admin, "adopt-store", "--yes"])
        #expect(adopted.status == .exited(0), "\(adopted.errorText)")
        let enabled = try Command.run(enabling)
        #expect(enabled.status == .exited(0), "\(enabled.errorText)")
        try machine.mustAdminister("disable", "vlock")
        // Its audit log is lost, too.
        try Command.succeed(["/bin/rm", "/var/lib/mfa/audit-log.head"])
        #expect(try Command.run(enabling).status != .exited(0))
        try machine.mustAdminister("audit-log", "begin", "--yes", "--reason", "lost")
        #expect(try Command.run(enabling).status == .exited(0))
        try machine.mustAdminister("disable", "vlock")
      }
    }

    @Test("after prepare-image, sign-ins are denied until the store is made, with another key")
    func image() throws {
      try Self.withStore { machine, user, enrollment, folder in
        let service = try machine.makeService(OneCode.stack)
        machine.atTheEnd("put the store back") { try Self.putBack(folder) }
        try machine.write("realm\n", to: "/etc/mfa/realm")
        try machine.write("code\n", to: "/etc/mfa/break-glass")
        try Self.shell("mkdir -p /var/lib/mfa-fleet; touch /var/lib/mfa-fleet/key.pem", folder)
        let before = machine.contents(of: "/etc/mfa/key")
        #expect(try Command.run([Self.admin, "prepare-image"]).status == .exited(64))
        #expect(machine.contents(of: "/etc/mfa/key") == before)
        let done = try Command.run([Self.admin, "prepare-image", "--yes"])
        #expect(done.status == .exited(0), "\(done.errorText)")
        let left = try Command.succeed([
          "/bin/sh", "-c",
          """
          ls -d /etc/mfa/key* /etc/mfa/identity /etc/mfa/realm /etc/mfa/break-glass 2>/dev/null
          ls -d /var/lib/mfa-fleet 2>/dev/null
          ls -A /var/lib/mfa; ls /etc/mfa/image
          """,
        ])
        #expect(left == "/etc/mfa/image\n", "\(left)")
        func signIn() throws -> String? {
          try user.signIn(to: service, typing: try enrollment.phone.code()).code
        }
        #expect(try signIn() == "PAM_AUTH_ERR")
        try Command.succeed([Self.makeStore])
        #expect(try signIn() == "PAM_PERM_DENIED", "the user has no factor")
        let after = machine.contents(of: "/etc/mfa/key")
        #expect(after?.count == 32 && after != before)
        #expect(machine.contents(of: "/etc/mfa/image") == nil)
        #expect(
          try !Doctor.found(Doctor.examine(["--json"])).contains { $0.contains("store-foreign") })
        _ = try machine.enroll(machine.addUser())
      }
    }
  }
}
