import MFAModel
import Testing

/// Configurations that depend on the session of a sign-in.
@Suite struct SessionTests {
  @Test(arguments: [
    (1, "[project]\n", false),
    (2, "[project]\nremember = 8h\nremember_services = sshd\n", false),
    (3, "[project]\nremember = 8h\nremember_services = sshd, sudo\n", true),
    (4, "[project]\nfresh_for = 15m\n", true),
    (5, "[project]\nfresh_for = off\n", false),
    (6, "[project]\n[tenant a]\nservices = sudo\nfresh_for = 15m\n", true),
    (7, "[project]\n[tenant a]\nservices = sudo\nfresh_for = off\n", false),
    (8, "[project]\n[tenant a]\nusers = a\nremember_services = sudo\n", true),
    (9, "[project]\n[tenant a]\nusers = a\nremember_services = sshd\n", false),
  ])
  func followsSessions(number: Int, text: String, expected: Bool) throws {
    #expect(try parse(text).followsSessions == expected, "row \(number)")
  }

  @Test(arguments: [
    (1, "[project]\n", "sshd", Int64(0)),
    (2, "[project]\nremember = 8h\nremember_services = sshd\n", "sshd", 28_800),
    (3, "[project]\nremember = 8h\nremember_services = sshd\n", "sudo", 0),
    (4, "[project]\nremember = 8h\nremember_services = sshd\nfresh_for = 1m\n", "sshd", 60),
    (5, "[project]\nremember = 8h\nremember_services = sshd\nfresh_for = 1m\n", "sudo", 60),
    (6, "[project]\nremember_services = sshd\n", "sshd", 0),
  ])
  func oldestCode(number: Int, text: String, service: String, expected: Int64) throws {
    #expect(
      try parse(text).project.oldestCode(in: Array(service.utf8)) == expected, "row \(number)")
  }
}
