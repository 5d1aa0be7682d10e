import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The installed mfa.conf, while an administrator removes the # from its settings.
  @Suite struct Template {
    @Test("no setting of mfa.conf denies sign-ins without its #, alone or with all others")
    func settingsWithoutTheirNumberSign() throws {
      let path = Checkout.folder + "/packaging/mfa.conf"
      let lines = try String(contentsOfFile: path, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
      let tenants = lines.firstIndex { $0.hasPrefix("# [tenant ") } ?? lines.endIndex
      let settings = lines.indices.filter { lines[$0].contains(/^# ([a-z_]+ = |\[tenant )/) }
      let alone = settings.filter { $0 < tenants }
      #expect(alone.count >= 16)

      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let stranger = try machine.addUser()
        let service = try machine.makeService([
          OneCode.stack[0], "auth required pam_permit.so", OneCode.stack[1],
        ])
        for changed in alone.map({ [$0] }) + [alone, settings] {
          var text = lines
          for line in changed { text[line].removeFirst(2) }
          try machine.writeConfiguration(text.joined(separator: "\n"))
          let outcome = try PAMClient.signIn(service: service, user: stranger.name, answers: [])
          #expect(outcome.code == "PAM_SUCCESS", "\(text[changed[0]]): \(outcome)")
        }
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
    }
  }
}
