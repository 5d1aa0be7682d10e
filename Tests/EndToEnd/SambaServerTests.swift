import Foundation
import MFACTestSupport
import MFATestSupport
import Testing

extension EndToEnd {
  /// A program that verifies passwords itself and runs the `account` lines alone: Debian's Samba.
  @Suite struct SambaServer {
    init() throws { try machine.keepServices() }

    /// A running smbd with one share.
    struct Server {
      private let port: Int
      private let settings: String
      private let process: ChildProcess

      init(on machine: Machine, users: [MachineUser]) throws {
        port = Int(ctest_free_port())
        let folder = machine.folder + "/samba"
        try Command.succeed(["/bin/mkdir", "-m", "0755", folder])
        settings = "/etc/samba/smb.conf"
        try Command.succeed(["/bin/mkdir", "-p", "/etc/samba"])
        try Self.write("yes", folder, port, to: settings, on: machine)
        for user in users {
          let added = try Command.run(
            ["/usr/bin/smbpasswd", "-a", "-s", user.name],
            input: Array("\(user.password)\n\(user.password)\n".utf8))
          #expect(added.status == .exited(0), "\(added)")
        }
        process = try ChildProcess([
          "/usr/sbin/smbd", "--foreground", "--no-process-group", "--configfile=\(settings)",
        ])
      }

      /// Writes the settings.
      static func write(
        _ obeysPAM: String, _ folder: String, _ port: Int, to path: String, on machine: Machine
      ) throws {
        try machine.write(
          """
          [global]
          obey pam restrictions = \(obeysPAM)
          server role = standalone server
          smb ports = \(port)
          interfaces = 127.0.0.1
          bind interfaces only = yes
          lock directory = \(folder)
          state directory = \(folder)
          cache directory = \(folder)
          pid directory = \(folder)
          private dir = \(folder)
          ncalrpc dir = \(folder)/ncalrpc
          log file = \(folder)/log
          [share]
          path = \(folder)

          """, to: path)
      }

      /// Returns the status that a client reports, or nil if the user is let in.
      func status(of user: MachineUser, password: String? = nil) throws -> String? {
        for _ in 0..<50 {
          let client = try Command.run([
            "/usr/bin/smbclient", "--configfile=\(settings)", "--port=\(port)",
            "--user=\(user.name)%\(password ?? user.password)", "//127.0.0.1/share", "-c", "ls",
          ])
          let text = client.text + client.errorText
          let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
          let status = words.first { $0.hasPrefix("NT_STATUS_") }.map(String.init)
          // The server has not started yet.
          if status == "NT_STATUS_CONNECTION_REFUSED" {
            Thread.sleep(forTimeInterval: 0.2)
            continue
          }
          #expect((client.status == .exited(0)) == (status == nil), "\(client)")
          return status
        }
        return "no server"
      }
    }

    @Test("after enable samba, users who have enrolled are denied, and others use their password")
    func samba() throws {
      try machine.write(
        "@include common-auth\n@include common-account\n@include common-session-noninteractive\n",
        to: "/etc/pam.d/samba")
      let files = ServiceFiles(["samba"])
      let (user, _) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let server = try Server(on: machine, users: [user, other])
      #expect(try server.status(of: user) == nil)
      #expect(try server.status(of: other) == nil)

      let enabled = try machine.administer("enable", "--no-confirm", "samba")
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      #expect(
        enabled.errorText.contains("users who have enrolled, and those who must, can no longer"),
        "\(enabled.errorText)")
      #expect(try server.status(of: user) == "NT_STATUS_ACCESS_DENIED")
      #expect(try server.status(of: user, password: "x") == "NT_STATUS_LOGON_FAILURE")
      #expect(try server.status(of: other) == nil)
      #expect(try server.status(of: other, password: "x") == "NT_STATUS_LOGON_FAILURE")

      let services = try machine.mustAdminister("services").text
      #expect(
        services.contains(/samba +denies users who have enrolled: \/etc\/pam.d\/samba:/),
        "\(services)")
      func explanation(_ user: MachineUser) throws -> String {
        try machine.mustAdminister("explain", "--user", user.name, "--service", "samba").text
      }
      let (denied, allowed) = (try explanation(user), try explanation(other))
      #expect(denied.contains("the program does not ask for a code"), "\(denied)")
      #expect(!allowed.contains("the program does not ask for a code"), "\(allowed)")
      let findings = try machine.administer("doctor").text
      #expect(!findings.contains("samba"), "\(findings)")
      let again = try machine.administer("enable", "--no-confirm", "samba")
      #expect(
        again.text.contains("samba: already denies users who have enrolled"), "\(again)")

      // A user whom policy exempts.
      try machine.writeConfiguration(
        "[tenant files]\nservices = samba\nusers = \(user.name)\nstate = disabled\n")
      #expect(try server.status(of: user) == nil)
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      #expect(try server.status(of: other) == "NT_STATUS_ACCESS_DENIED")
      try machine.writeConfiguration("")

      try machine.mustAdminister("disable", "samba")
      #expect(files.isRestored)
      #expect(try server.status(of: user) == nil)
    }

    @Test("enable samba and doctor say that Samba does not run the line, and the hint helps")
    func withoutRestrictions() throws {
      let path = "/etc/pam.d/samba"
      let text = "@include common-auth\n@include common-account\n"
      try machine.write(text, to: path)
      let folder = machine.folder
      try Command.succeed(["/bin/mkdir", "-p", "/etc/samba"])
      func set(_ value: String) throws {
        try Server.write(value, folder, 445, to: "/etc/samba/smb.conf", on: machine)
      }
      func finding() throws -> Bool {
        try machine.administer("doctor", "--json").text.contains("\"account-line-not-run\"")
      }
      try set("no")
      let refused = try machine.administer("enable", "--no-confirm", "samba")
      #expect(refused.status == .exited(1))
      #expect(
        refused.errorText.contains("hint: set \"obey pam restrictions = yes\""),
        "\(refused.errorText)")
      #expect(machine.contents(of: path) == Array(text.utf8))
      // What the hint says.
      try set("yes")
      try machine.mustAdminister("enable", "--no-confirm", "samba")
      #expect(try !finding())
      try set("no")
      #expect(try finding())
      try machine.mustAdminister("disable", "samba")
    }

    @Test("an account line with require_code denies what no auth line accepted, in any program")
    func accountAlone() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let account = [
        "account required pam_mfa.so require_code", "account required pam_permit.so",
      ]
      let alone = try machine.makeService(["auth required pam_permit.so"] + account)
      let asking = try machine.makeService(
        ["auth requisite pam_unix.so", "auth required pam_mfa.so after_password"] + account)
      var options = PAMClient.Options()
      options.asksAccount = true
      func result(_ user: MachineUser, at service: String, _ answers: [String] = []) throws
        -> String
      {
        try PAMClient.signIn(
          service: service, user: user.name, answers: answers.map { .text($0) }, options: options
        ).code
      }
      #expect(try result(user, at: alone) == "PAM_PERM_DENIED")
      #expect(try result(other, at: alone) == "PAM_SUCCESS")
      #expect(
        try result(user, at: asking, [user.password, enrollment.phone.code()]) == "PAM_SUCCESS")
      #expect(try result(other, at: asking, [other.password]) == "PAM_SUCCESS")
    }
  }
}
