import MFAAttempt
import Testing

@Suite("Names of drop-ins")
struct DropInNameTests {
  @Test(
    "only plain names that end in .conf are drop-ins",
    arguments: [
      ("a.conf", true), ("10-site_2.conf", true), ("a.b.conf", true), ("a.conf.conf", true),
      (".conf", false), (".a.conf", false), ("", false), ("conf", false), ("aconf", false),
      ("a.conf~", false), ("a.conf.bak", false), ("a b.conf", false), ("a.confa.con", false),
    ])
  func dropIns(name: String, isDropIn: Bool) {
    #expect(ConfigurationFile.isDropIn(Array(name.utf8)) == isDropIn)
  }
}
