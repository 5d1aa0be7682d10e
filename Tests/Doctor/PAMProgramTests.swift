import Foundation
import MFAAdminTestSupport
import MFADoctor
import MFATestSupport
import Testing

@Suite struct PAMProgramTests {
  @Test("the page about programs has each program, with the source that was read and how it asks")
  func page() throws {
    let path = Checkout.folder + "/packaging/doc/programs.md"
    let text = String(
      decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(rows.count == PAMProgram.all.count)
    for (row, program) in zip(rows, PAMProgram.all) {
      let how =
        switch program.behaviour {
        case .asks(.fields, _): "each question"
        case .asks(.oneField, _): "one field"
        case .cannotAsk, .verifiesPasswords, .authenticatesNoUser: "not possible"
        }
      #expect(
        row.prefix(4) == [
          program.services.joined(separator: ", "), program.name, program.source, how,
        ])
    }
  }

  @Test("each service belongs to one program")
  func services() {
    let services = PAMProgram.all.flatMap(\.services)
    #expect(Set(services).count == services.count)
    for service in services {
      #expect(PAMProgram.with(service: Array(service.utf8))?.services.contains(service) == true)
    }
    #expect(PAMProgram.with(service: Array("other".utf8)) == nil)
  }

  @Test(
    "a program that lets the password decide says why and what to do, with the file if settings do",
    arguments: [
      ("samba", nil, true, false), ("proftpd", nil, true, true),
      ("proftpd", "AuthOrder mod_auth_pam.c* mod_auth_unix.c\n", false, false),
      ("proftpd", "AuthOrder mod_auth_pam.c\n", true, true), ("vsftpd", nil, false, false),
      ("other", nil, false, false),
    ] as [(String, String?, Bool, Bool)])
  func passwordAlone(service: String, settings: String?, decides: Bool, hasFile: Bool) throws {
    let path = "/etc/proftpd/proftpd.conf"
    var host = MemoryHost()
    host.texts[path] = settings
    let alone = try PAMProgram.passwordAlone(at: Array(service.utf8), on: host)
    #expect((alone != nil) == decides)
    #expect(alone?.settings == (hasFile ? path : nil))
    #expect(alone.map { !$0.reason.isEmpty && !$0.hint.isEmpty } ?? true)
    #expect(!hasFile || alone?.hint.contains(path) == true)
  }
}
