import Testing

@testable import MFARelay

@Suite("The conversations of a relay")
struct RelayShareTests {
  /// Returns how many conversations a user gets.
  private static func granted(_ share: RelayShare, to user: UInt32, of count: Int = 5000) -> Int {
    (0..<count).filter { _ in share.begin(for: user) }.count
  }

  @Test("a user other than root has a limit, and all together")
  func limits() {
    let share = RelayShare(ownUser: 99)
    #expect(Self.granted(share, to: 1000) == RelayShare.mostPerUser)
    #expect(Self.granted(share, to: 1001) == RelayShare.mostPerUser)
    #expect(Self.granted(share, to: 0) == RelayShare.most - 2 * RelayShare.mostPerUser)
    #expect(Self.granted(share, to: 1002) == 0)
    share.end(for: 1000)
    #expect(!share.begin(for: 1001))
    #expect(share.begin(for: 1000))
    #expect(!share.begin(for: 1000))
  }

  @Test("helpers whose users are not known have a limit of their own")
  func helpers() {
    let share = RelayShare(ownUser: 99)
    #expect(Self.granted(share, to: 99) == RelayShare.mostHelpers)
    #expect(share.begin(for: 1000))
    #expect(share.count == RelayShare.mostHelpers + 1)
  }
}
