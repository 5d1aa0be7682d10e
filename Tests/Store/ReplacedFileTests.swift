import Foundation
import MFACrypto
import MFAModel
import MFABase
@testable import MFAStore
import Synchronization
import Testing

/// Files that other processes replace while they are read.
@Suite("Replaced files of the store", .privateMachine)
struct ReplacedFileTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Reads again and again until `replace` has ended on a thread of its own. Returns how often.
  private func read(
    while replace: @escaping @Sendable () throws -> Void, _ read: () throws -> Void
  ) throws -> Int {
    let end = Mutex<Result<Void, any Error>?>(nil)
    Thread.detachNewThread {
      let result = Result { try replace() }
      end.withLock { $0 = result }
    }
    var count = 0
    while end.withLock({ $0 == nil }) {
      try read()
      count += 1
    }
    try end.withLock { try $0?.get() }
    return count
  }

  @Test("a record can be read while it is replaced")
  func record() throws {
    try fixture.enroll()
    let (location, account) = (try fixture.location(), fixture.account)
    let store = try fixture.open()
    let count = try read {
      for _ in 0..<1000 {
        let entry = try LocalFactorStore(location).entry(of: account, creating: false)
        guard let record = entry.record else { throw FactorStoreError.damaged(.record) }
        _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
      }
    } _: { () throws in
      let snapshot = try store.snapshot(of: account)
      #expect(snapshot?.record.factors.count == 1)
    }
    #expect(count > 0)
  }

  @Test("a key can be read while it is replaced")
  func key() throws {
    let location = try fixture.location()
    let bytes = try fixture.bytes(of: fixture.folder + "/key")
    let file = try KeyFile(location.key)
    let count = try read {
      let writer = try KeyFile(location.key)
      for _ in 0..<500 {
        let status = try writer.open(storeOwner: 0).status()
        try writer.create(writer.name, SecretBytes(copying: bytes.span), like: status)
      }
    } _: { () throws in
      _ = try SealingKey(file, storeOwner: 0)
    }
    #expect(count > 0)
  }

  @Test("a file that was removed after it was opened is trusted only where that is expected")
  func removed() throws {
    try fixture.write([1], to: "/removed")
    let path = try #require(TrustedPath(Array((fixture.folder + "/removed").utf8)))
    let file = try path.parent().fileForReading(path.last)
    func distrust(mayBeReplaced: Bool) throws -> TrustFailure? {
      try file.status().distrust(
        owners: (0, 0), permissions: 0o600, mayBeReplaced: mayBeReplaced)
    }
    let files = FileManager.default
    let (first, second) = (fixture.folder + "/removed", fixture.folder + "/second")
    try files.linkItem(atPath: first, toPath: second)
    #expect(try distrust(mayBeReplaced: true) == .severalNames)
    try files.removeItem(atPath: second)
    #expect(try distrust(mayBeReplaced: false) == nil)
    try files.removeItem(atPath: first)
    #expect(try distrust(mayBeReplaced: true) == nil)
    #expect(try distrust(mayBeReplaced: false) == .severalNames)
  }
}
