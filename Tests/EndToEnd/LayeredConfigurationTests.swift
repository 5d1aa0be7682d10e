import MFATestSupport
import Testing

extension EndToEnd {
  /// The vendor's configuration, the host's configuration, and drop-ins.
  @Suite struct LayeredConfiguration {
    static let vendor = "/usr/lib/mfa/mfa.conf"
    static let host = "/etc/mfa/mfa.conf"
    static let folder = "/etc/mfa/mfa.conf.d"

    let user: MachineUser
    let wrongCode: String
    let service: String

    init() throws {
      try machine.keep(Self.folder)
      try machine.keep(Self.vendor)
      let enrollment: Enrollment
      (user, enrollment) = try machine.addEnrolledUser()
      wrongCode = try enrollment.phone.wrongCode()
      service = try machine.makeService([OneCode.stack[0], "auth required pam_permit.so"])
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      /// Paths and the `state` to write in `[project]`; nil removes the file.
      let states: [(path: String, state: String?)]
      /// Whether a wrong code is ignored.
      let isOpen: Bool
      var testDescription: String { "\(title)" }
    }

    static let rows = [
      Row(
        title: "a drop-in over the host's file",
        states: [(host, "enabled"), (folder + "/10-a.conf", "disabled")], isOpen: true),
      Row(
        title: "a later drop-in over an earlier one",
        states: [(folder + "/10-a.conf", "disabled"), (folder + "/9-a.conf", "enabled")],
        isOpen: false),
      Row(
        title: "capitals sort first",
        states: [(folder + "/a.conf", "disabled"), (folder + "/B.conf", "enabled")], isOpen: true),
      Row(
        title: "the host's file over the vendor's",
        states: [(vendor, "disabled"), (host, "enabled")], isOpen: false),
      Row(
        title: "the vendor's file alone", states: [(vendor, "disabled"), (host, nil)],
        isOpen: true),
      Row(
        title: "a drop-in alone",
        states: [(host, nil), (folder + "/a.conf", "disabled")], isOpen: true),
      Row(
        title: "leftovers of editors and package managers",
        states: [
          (host, "enabled"), (folder + "/a.conf~", "disabled"), (folder + "/.a.conf", "disabled"),
          (folder + "/a.conf.dpkg-old", "disabled"), (folder + "/#a.conf", "disabled"),
          (folder + "/a b.conf", "disabled"), (folder + "/.conf", "disabled"),
        ], isOpen: false),
    ]

    @Test("later files take precedence", arguments: rows)
    func layers(row: Row) throws {
      for (path, state) in row.states {
        if let state {
          try machine.write("[project]\nstate = \(state)\n", to: path)
        } else {
          try machine.remove(path)
        }
      }
      let outcome = try user.signIn(to: service, typing: wrongCode)
      #expect(outcome.code == (row.isOpen ? "PAM_SUCCESS" : "PAM_AUTH_ERR"), "\(outcome)")
    }

    @Test("`config=` reads only the given file")
    func oneFile() throws {
      try machine.write("[project]\nstate = disabled\n", to: Self.folder + "/a.conf")
      let service = try machine.makeService([
        "auth required pam_mfa.so config=\(Self.host)", "auth required pam_permit.so",
      ])
      let outcome = try user.signIn(to: service, typing: wrongCode)
      #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
    }

    struct Broken: Sendable, CustomTestStringConvertible {
      /// A shell command that damages the configuration; `$d` is the folder.
      let command: String
      /// The file that the log names.
      let file: String
      let fields: [String: String]
      var testDescription: String { "\(command)" }
    }

    static let broken = [
      Broken(
        command: "printf '[project]\\nstate = on\\n' >$d/a.conf",
        file: folder + "/a.conf", fields: ["reason": "invalid", "line": "2"]),
      Broken(
        command: "printf '[project]\\nstate = on\\n' >/usr/lib/mfa/mfa.conf",
        file: vendor, fields: ["reason": "invalid", "line": "2"]),
      // In the host's file, the longest wait has its default value.
      Broken(
        command: "printf '\\n[project]\\nthrottle_first_wait = 16m\\n' >$d/a.conf",
        file: folder + "/a.conf", fields: ["reason": "invalid", "line": "3"]),
      Broken(
        command: "printf '[tenant a]\\nstate = observe\\n' >$d/a.conf",
        file: folder + "/a.conf", fields: ["reason": "invalid", "line": "1"]),
      Broken(
        command: "touch $d/a.conf; chmod 0666 $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "wrong-permissions"]),
      Broken(
        command: "touch $d/a.conf; chown mfa $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "wrong-owner"]),
      Broken(
        command: "ln -s /dev/null $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "symbolic-link"]),
      Broken(
        command: "mkdir $d/a.conf", file: folder + "/a.conf",
        fields: ["reason": "not-a-regular-file"]),
      Broken(command: "chmod 0777 $d", file: folder, fields: ["reason": "wrong-permissions"]),
      Broken(command: "chown mfa $d", file: folder, fields: ["reason": "wrong-owner"]),
      Broken(command: "rmdir $d; touch $d", file: folder, fields: ["errno": "ENOTDIR"]),
      Broken(command: "rmdir $d; ln -s /var $d", file: folder, fields: ["errno": "ENOTDIR"]),
      Broken(
        command: "i=0; while [ $i -le 64 ]; do touch $d/$i.conf; i=$((i + 1)); done",
        file: folder, fields: ["reason": "too-many-files"]),
    ]

    @Test("an invalid file denies sign-ins, and the log names the file and line", arguments: broken)
    func brokenLayers(row: Broken) throws {
      try Command.succeed([
        "/bin/sh", "-c",
        "d=\(Self.folder); rm -rf $d; install -d -m 0755 $d; umask 022; \(row.command)",
      ])
      let start = try machine.log.position()
      let outcome = try user.signIn(to: service, typing: wrongCode)
      #expect(outcome.code == "PAM_AUTH_ERR" && outcome.prompts.isEmpty, "\(outcome)")
      let entries = try OneCode.logged(machine, since: start)
      let fields = entries.first?.fields ?? [:]
      #expect(entries.count == 1, "\(entries)")
      #expect(fields["part"] == "configuration" && fields["file"] == row.file, "\(entries)")
      for (name, value) in row.fields { #expect(fields[name] == value, "\(entries)") }
    }

    @Test("the maximum number of drop-ins is read")
    func manyFiles() throws {
      for number in 0..<64 {
        try machine.write(
          "[project]\nstate = \(number == 63 ? "disabled" : "enabled")\n",
          to: "\(Self.folder)/\(10 + number).conf")
      }
      let outcome = try user.signIn(to: service, typing: wrongCode)
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }

    @Test("a folder that cannot be listed completely denies sign-ins", .withoutResidentService)
    func incompleteFolderListingDenies() throws {
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
