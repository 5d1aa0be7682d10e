import Foundation
import MFACTestSupport
import MFATestSupport
import Testing

extension EndToEnd {
  /// Programs that do not act as root and sign in other users, with Debian's FreeRADIUS.
  @Suite struct Daemons {
    init() throws { try machine.keepServices() }

    /// A RADIUS server that runs as Debian's unit starts it: as freerad, and unable to gain other privileges.
    struct Server {
      let port: Int
      private let process: ChildProcess

      init(on machine: Machine) throws {
        port = Int(ctest_free_port())
        let folder = machine.folder + "/radius"
        try Command.succeed(["/bin/mkdir", "-m", "0755", folder])
        try machine.write("$INCLUDE /usr/share/freeradius/dictionary\n", to: folder + "/dictionary")
        try machine.write(
          """
          libdir = /usr/lib/freeradius
          modules {
            pam {
              pam_auth = radiusd
            }
          }
          client localhost {
            ipaddr = 127.0.0.1
            secret = testing
          }
          server default {
            listen {
              type = auth
              ipaddr = 127.0.0.1
              port = \(port)
            }
            authorize {
              update control {
                Auth-Type := pam
              }
            }
            authenticate {
              Auth-Type pam {
                pam
              }
            }
          }

          """, to: folder + "/radiusd.conf")
        process = try ChildProcess([
          "/usr/bin/setpriv", "--reuid", "freerad", "--regid", "freerad", "--init-groups",
          "--no-new-privs", "/usr/sbin/freeradius", "-f", "-l", "stdout", "-d", folder,
        ])
      }

      /// Returns whether a user who types this answer is signed in.
      func letsIn(_ user: MachineUser, _ answer: String) throws -> Bool {
        let client = try Command.run(
          [
            "/usr/bin/radclient", "-r", "20", "-t", "1", "127.0.0.1:\(port)", "auth", "testing",
          ],
          input: Array("User-Name = \"\(user.name)\", User-Password = \"\(answer)\"\n".utf8))
        let replies = ["Access-Accept", "Access-Reject"].filter { client.text.contains($0) }
        #expect(replies.count == 1, "\(client)")
        return replies == ["Access-Accept"]
      }
    }

    @Test("after the section and enable radiusd, FreeRADIUS signs in the users of the section")
    func radius() throws {
      let files = ServiceFiles(["radiusd"])
      let (user, enrollment) = try machine.addEnrolledUser()
      let (stranger, other) = try machine.addEnrolledUser()
      let unenrolled = try machine.addUser()
      let server = try Server(on: machine)
      #expect(try server.letsIn(user, user.password))

      let refused = try machine.administer("enable", "--no-confirm", "radiusd")
      #expect(refused.status == .exited(1))
      #expect(
        refused.errorText.contains(
          "radiusd: FreeRADIUS runs as freerad, and only programs of root can sign in other users"),
        "\(refused.errorText)")
      #expect(refused.errorText.contains("hint: add a section [daemon radiusd]"))
      #expect(files.isRestored)

      // What the hint says.
      try machine.writeConfiguration(
        """
        [daemon radiusd]
        user = freerad
        services = radiusd
        users = \(user.name), \(unenrolled.name)

        """)
      let enabled = try machine.administer("enable", "--no-confirm", "radiusd")
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      let codes = try enrollment.phone.codes(fromStep: enrollment.phone.step(), count: 2)
      #expect(try server.letsIn(user, user.password + codes[0]))
      #expect(try !server.letsIn(user, user.password + codes[0]), "the code is used")
      #expect(try !server.letsIn(user, user.password), "there is no code")
      #expect(try !server.letsIn(user, "x" + user.password + codes[1]), "the password is wrong")
      #expect(try server.letsIn(unenrolled, unenrolled.password), "the user has not enrolled")
      #expect(try !server.letsIn(unenrolled, "x" + unenrolled.password))
      #expect(
        try !server.letsIn(stranger, stranger.password + other.phone.code(offset: 0)),
        "the section does not name the user")

      func explanation(_ user: MachineUser) throws -> String {
        try machine.mustAdminister("explain", "--user", user.name, "--service", "radiusd").text
      }
      let (named, unnamed) = (try explanation(user), try explanation(stranger))
      #expect(named.contains("asked for a code"), "\(named)")
      #expect(unnamed.contains("no section [daemon NAME]"), "\(unnamed)")
      #expect(try !machine.administer("doctor").text.contains("daemon-unnamed"))
      try machine.writeConfiguration("")
      #expect(try machine.administer("doctor").text.contains("daemon-unnamed"))
      #expect(try !server.letsIn(user, user.password + codes[1]), "there is no section")
      try machine.mustAdminister("disable", "radiusd")
      #expect(files.isRestored)
    }
  }
}
