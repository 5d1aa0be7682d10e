import MFAAdminTestSupport
import MFABase
import MFAStore
import MFATestSupport
import Testing

/// What `mfad` says about the store when root asks it.
@Suite("Probes")
struct ProbeTests {
  @Test("a store is usable if its folders can be written to and its key is the same")
  func usable() throws {
    let store = try TemporaryStore()
    let key = try store.store.requireUsable()
    #expect(try store.store.requireUsable() == key)
    // Every temporary store has the same key.
    let other = try TemporaryStore()
    #expect(try other.store.requireUsable() == key)
  }

  @Test(
    "a store without a key or a folder is not",
    arguments: ["key", "store/factors", "store/attempts"])
  func unusable(missing: String) throws {
    let store = try TemporaryStore()
    try Command.succeed(["/bin/mv", "\(store.folder)/\(missing)", "\(store.folder)/other"])
    #expect(throws: FactorStoreError.self) {
      _ = try LocalFactorStore(store.location).requireUsable()
    }
  }

  @Test("a store that is mounted read-only is not, although root asks")
  func readOnly() throws {
    let store = try TemporaryStore()
    let path = "\(store.folder)/store"
    try Command.succeed([
      "/bin/sh", "-ec", "mount --bind $0 $0; mount -o remount,bind,ro $0", path,
    ])
    defer { do { try Command.succeed(["/bin/umount", path]) } catch { Issue.record("\(error)") } }
    #expect(throws: FactorStoreError.self) {
      _ = try LocalFactorStore(store.location).requireUsable()
    }
  }
}
