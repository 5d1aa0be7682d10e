import MFARealmStore
import Testing

@testable import MFAVerifier

@Suite("Claims of entries of a directory")
struct EntryClaimTests {
  private typealias Identities = DirectoryIdentities<MeasuredEngine>

  private static let holder = Array("alice".utf8)

  @Test("each combination of facts about an entry that is or was another name's")
  func table() {
    for (hasFactors, isConfirmed, isPermitted, owner) in [
      (false, false, false, .same), (false, false, true, .same), (false, true, false, .same),
      (false, true, true, .same), (true, false, false, .disputed(holder: Self.holder)),
      (true, false, true, .disputed(holder: Self.holder)), (true, true, false, .notPermitted),
      (true, true, true, .renamed(from: Self.holder)),
    ] as [(Bool, Bool, Bool, Identities.Owner)] {
      let found = Identities.owner(
        Self.holder, hasFactors: hasFactors, isConfirmed: isConfirmed, isPermitted: isPermitted)
      #expect(found == owner, "\(hasFactors) \(isConfirmed) \(isPermitted)")
    }
  }

  @Test("factors move to another name only at a host where both names may enrol")
  func move() {
    let renamed = RenamedUser(from: Self.holder, to: Array("bob".utf8))
    for (users, mayEnroll, mayMove) in [
      ([renamed.earlier, renamed.name], true, true), ([renamed.earlier], true, false),
      ([renamed.name], true, false), ([renamed.earlier, renamed.name], false, false),
    ] {
      var group = HostGroup(name: Array("web".utf8))
      (group.users, group.mayEnroll) = (users, mayEnroll)
      #expect(Identities.mayMove(renamed, HostPermissions([group])) == mayMove)
    }
  }
}
