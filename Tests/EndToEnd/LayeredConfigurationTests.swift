import MFATestSupport
import Testing

extension EndToEnd {
  /// The vendor's configuration, the host's configuration, and drop-ins.
  @Suite struct LayeredConfiguration {
    static let vendor = "/usr/lib/mfa/mfa.conf"
    static let host = "/etc/mfa/mfa.conf"
    static let folder = "/etc/mfa/mfa.conf.d"

    /// Provides a machine whose drop-ins and vendor file are restored afterwards.
    func withMachine(_ body: (Machine, MachineUser, String, String) throws -> Void) throws {
      try Machine.use { machine in
        try machine.keep(Self.folder)
        try machine.keep(Self.vendor)
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService([OneCode.stack[0], "auth required pam_permit.so"])
        try body(machine, user, service, try enrollment.phone.wrongCode())
      }
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      let title: String
      /// Paths and the `state` to write in `[project]`; nil removes the file.
      let states: [(path: String, state: String?)]
      /// Whether a wrong code is ignored.
      let isOpen: Bool
      var testDescription: String { "\(number): \(title)" }
    }

    static let rows = [
      Row(
        number: 1, title: "a drop-in over the host's file",
        states: [(host, "enabled"), (folder + "/10-a.conf", "disabled")], isOpen: true),
      Row(
        number: 2, title: "a later drop-in over an earlier one",
        states: [(folder + "/10-a.conf", "disabled"), (folder + "/9-a.conf", "enabled")],
        isOpen: false),
      Row(
        number: 3, title: "capitals sort first",
        states: [(folder + "/a.conf", "disabled"), (folder + "/B.conf", "enabled")], isOpen: true),
      Row(
        number: 4, title: "the host's file over the vendor's",
        states: [(vendor, "disabled"), (host, "enabled")], isOpen: false),
      Row(
        number: 5, title: "the vendor's file alone", states: [(vendor, "disabled"), (host, nil)],
        isOpen: true),
      Row(
        number: 6, title: "a drop-in alone",
        states: [(host, nil), (folder + "/a.conf", "disabled")], isOpen: true),
      Row(
        number: 7, title: "leftovers of editors and package managers",
        states: [
          (host, "enabled"), (folder + "/a.conf~", "disabled"), (folder + "/.a.conf", "disabled"),
          (folder + "/a.conf.dpkg-old", "disabled"), (folder + "/#a.conf", "disabled"),
          (folder + "/a b.conf", "disabled"), (folder + "/.conf", "disabled"),
        ], isOpen: false),
    ]

    @Test("later files take precedence", arguments: rows)
    func layers(row: Row) throws {
      try withMachine { machine, user, service, wrongCode in
        for (path, state) in row.states {
          if let state {
            try machine.write("[project]\nstate = \(state)\n", to: path)
          } else {
            try machine.remove(path)
          }
        }
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(wrongCode)])
        #expect(outcome.code == (row.isOpen ? "PAM_SUCCESS" : "PAM_AUTH_ERR"), "\(outcome)")
      }
    }

    @Test("`config=` reads only the given file")
    func oneFile() throws {
      try withMachine { machine, user, _, wrongCode in
        try machine.write("[project]\nstate = disabled\n", to: Self.folder + "/a.conf")
        let service = try machine.makeService([
          "auth required pam_mfa.so config=\(Self.host)", "auth required pam_permit.so",
        ])
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(wrongCode)])
        #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
      }
    }

    struct Broken: Sendable, CustomTestStringConvertible {
      let number: Int
      /// A shell command that damages the configuration; `$d` is the folder.
      let command: String
      /// The file that the log names.
      let file: String
      let fields: [String: String]
      var testDescription: String { "\(number): \(command)" }
    }

    static let broken = [
      Broken(
        number: 1, command: "printf '[project]\\nstate = on\\n' >$d/a.conf",
        file: folder + "/a.conf", fields: ["reason": "invalid", "line": "2"]),
      Broken(
        number: 2, command: "printf '[project]\\nstate = on\\n' >/usr/lib/mfa/mfa.conf",
        file: vendor, fields: ["reason": "invalid", "line": "2"]),
      // In the host's file, the longest wait has its default value.
      Broken(
        number: 3, command: "printf '\\n[project]\\nthrottle_first_wait = 16m\\n' >$d/a.conf",
        file: folder + "/a.conf", fields: ["reason": "invalid", "line": "3"]),
      Broken(
        number: 4, command: "printf '[tenant a]\\nstate = observe\\n' >$d/a.conf",
        file: folder + "/a.conf", fields: ["reason": "invalid", "line": "1"]),
      Broken(
        number: 5, command: "touch $d/a.conf; chmod 0666 $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "wrong-permissions"]),
      Broken(
        number: 6, command: "touch $d/a.conf; chown mfa $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "wrong-owner"]),
      Broken(
        number: 7, command: "ln -s /dev/null $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "symbolic-link"]),
      Broken(
        number: 8, command: "mkdir $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "not-a-regular-file"]),
      Broken(
        number: 9, command: "chmod 0777 $d", file: folder,
        fields: ["reason": "wrong-permissions"]),
      Broken(
        number: 10, command: "chown mfa $d", file: folder, fields: ["reason": "wrong-owner"]),
      Broken(number: 11, command: "rmdir $d; touch $d", file: folder, fields: ["errno": "ENOTDIR"]),
      Broken(
        number: 12, command: "rmdir $d; ln -s /var $d", file: folder,
        fields: ["errno": "ENOTDIR"]),
      Broken(
        number: 13, command: "i=0; while [ $i -le 64 ]; do touch $d/$i.conf; i=$((i + 1)); done",
        file: folder, fields: ["reason": "too-many-files"]),
    ]

    @Test("an invalid file denies sign-ins, and the log names the file and line", arguments: broken)
    func brokenLayers(row: Broken) throws {
      try withMachine { machine, user, service, wrongCode in
        try Command.succeed([
          "/bin/sh", "-c",
          "d=\(Self.folder); rm -rf $d; install -d -m 0755 $d; umask 022; \(row.command)",
        ])
        let start = try machine.log.position()
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(wrongCode)])
        #expect(outcome.code == "PAM_AUTH_ERR" && outcome.prompts.isEmpty, "\(outcome)")
        let entries = try OneCode.logged(machine, since: start)
        let fields = entries.first?.fields ?? [:]
        #expect(entries.count == 1, "\(entries)")
        #expect(fields["part"] == "configuration" && fields["file"] == row.file, "\(entries)")
        for (name, value) in row.fields { #expect(fields[name] == value, "\(entries)") }
      }
    }

    @Test("the maximum number of drop-ins is read")
    func manyFiles() throws {
      try withMachine { machine, user, service, wrongCode in
        for number in 0..<64 {
          try machine.write(
            "[project]\nstate = \(number == 63 ? "disabled" : "enabled")\n",
            to: "\(Self.folder)/\(10 + number).conf")
        }
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(wrongCode)])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
    }

    @Test("a folder that cannot be listed completely denies sign-ins", .withoutResidentService)
    func incompleteFolderListingDenies() throws {
      try withMachine { machine, user, service, wrongCode in
        try machine.write("[project]\nstate = disabled\n", to: Self.folder + "/a.conf")
        let start = try machine.log.position()
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(wrongCode)],
          through: [
            "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=getdents64:error=EIO",
          ])
        #expect(outcome.code == "PAM_AUTH_ERR" && outcome.prompts.isEmpty, "\(outcome)")
        let fields = try OneCode.logged(machine, since: start).first?.fields ?? [:]
        #expect(fields["file"] == Self.folder && fields["errno"] == "EIO", "\(fields)")
      }
    }
  }
}
