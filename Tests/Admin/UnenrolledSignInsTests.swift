import MFAAdminTestSupport
import MFAModel
import Testing

@testable import MFAAdmin

@Suite("What happens at the sign-ins of a user without a factor")
struct UnenrolledSignInsTests {
  @Test(
    arguments: [
      (1, "[project]\n", .withoutCode),
      (2, "[project]\nenrollment = offered\noffer_sign_ins = 3\n", .withoutCode),
      (3, "[project]\nenrollment = required\n", .denied),
      (4, "[project]\nenrollment = required\nstate = observe\n", .withoutCode),
      (
        5, "[project]\n[tenant staff]\ngroups = staff\nenrollment = required\n", .denied
      ),
      (6, "[project]\n[tenant guests]\ngroups = guests\nenrollment = required\n", .withoutCode),
      (
        7, "[project]\nenrollment = required\n[tenant cron]\nservices = cron\nstate = disabled\n",
        .dependsOnPolicy
      ),
    ] as [(Int, String, UnenrolledSignIns)])
  func policies(row: Int, text: String, expected: UnenrolledSignIns) throws {
    var draft = ConfigurationDraft()
    try draft.add(Array(text.utf8).span, from: Array("/x".utf8))
    let policy = try draft.finish()
    let found = UnenrolledSignIns(of: try userName("alice"), under: policy) { group in
      group == Array("staff".utf8)
    }
    #expect(found == expected, "row \(row)")
  }
}
