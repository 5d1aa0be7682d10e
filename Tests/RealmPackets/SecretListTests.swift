import MFARealm
import MFABase
import Testing

@Suite("Lists of secrets")
struct SecretListTests {
  private static func list(_ secrets: [UInt8]...) -> SecretList? {
    var list = SecretList.empty
    for secret in secrets {
      guard let longer = list.adding(secret.span) else { return nil }
      list = longer
    }
    return list
  }

  private static func secret(_ number: Int, of list: SecretList) -> [UInt8]? {
    guard let secret = list.secret(number) else { return nil }
    return secret.withSpan { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test("a list is read back as it was made")
  func roundTrip() throws {
    let made = Self.list([1, 2, 3], [], [9])
    let list = try #require(made)
    let copy = SecretList(list.withSpan { SecretBytes(copying: $0) })
    let read = try #require(copy)
    #expect(read == list)
    #expect(read.count == 3)
    #expect((0...3).map { Self.secret($0, of: read) } == [[1, 2, 3], [], [9], nil])
    #expect(list != .empty)
  }

  @Test("what is cut off or too long is refused")
  func refused() {
    for bytes in [[1], [3, 1, 2], [UInt8](repeating: 0, count: 17)] as [[UInt8]] {
      let list = SecretList(SecretBytes(copying: bytes.span))
      #expect(list == nil)
    }
    let long = Self.list([UInt8](repeating: 0, count: 256))
    #expect(long == nil)
  }
}
