import MFAModel
import Testing

/// Settings that have no effect because another key is not set.
@Suite struct UnusedSettingTests {
  struct Row: Sendable {
    let number: Int
    let text: String
    /// The line, the key and what it needs, for each setting without effect.
    let unused: [String]

    init(_ number: Int, _ text: String, _ unused: String...) {
      self.number = number
      self.text = text
      self.unused = unused
    }
  }

  @Test(arguments: [
    Row(1, ""),
    Row(2, "[project]\nremember = 8h", "2 remember remember_services"),
    Row(3, "[project]\nremember_services = sshd", "2 remember_services remember"),
    Row(4, "[project]\nremember = 8h\nremember_services = sshd"),
    Row(5, "[project]\noffer_until = 2030-12-31", "2 offer_until enrollment = offered"),
    Row(6, "[project]\noffer_sign_ins = 3", "2 offer_sign_ins enrollment = offered"),
    Row(7, "[project]\noffer_sign_ins = 3\nenrollment = offered"),
    // Defaults.
    Row(8, "[project]\nremember = off\noffer_sign_ins = 0\nfresh_for = off"),
    // The other key can be in another section.
    Row(9, "[project]\nremember = 8h\n[tenant a]\nusers = a\nremember_services = sshd"),
    Row(
      10,
      "[tenant a]\nusers = a\noffer_until = 2030-12-31\n"
        + "[tenant b]\ngroups = b\nenrollment = offered\noffer_sign_ins = 1"),
    Row(
      11, "[tenant a]\nusers = a\nremember = 1h\noffer_sign_ins = 1",
      "4 offer_sign_ins enrollment = offered", "3 remember remember_services"),
    Row(
      12, "[project]\nenrollment = required\noffer_until = 2030-12-31",
      "3 offer_until enrollment = offered"),
    Row(13, "[project]\ngateway = /a", "2 gateway regions"),
    Row(14, "[project]\nregions = +33", "2 regions gateway"),
    Row(15, "[project]\ngateway = /a\nregions = +33"),
  ])
  func settingWithoutTheKeyThatItNeedsIsFound(row: Row) throws {
    let unused = try parse(row.text).unusedSettings
    #expect(
      unused.map { "\($0.origin.line) \($0.key.name) \($0.needed)" } == row.unused,
      "row \(row.number)")
  }

  /// Nothing is remembered, as if the key were not set.
  @Test func rememberWithoutServicesRemembersNothing() throws {
    let settings = try parse("[project]\nremember = 8h").project
    #expect(settings.oldestCode(in: Array("sshd".utf8)) == 0)
  }
}
