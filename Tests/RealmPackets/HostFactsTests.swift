import MFAAttempt
import MFAPAMStack
import MFAResidentTestSupport
import MFAWire
import MFABase
import Testing

@testable import MFARealm

/// MUST 1 and 2 of HostFacts, and MUST 1 of ReportedStacks.
@Suite("Facts about a host")
struct HostFactsTests {
  private static func read(_ encoded: [UInt8]) -> Result<HostFacts, PacketError> {
    do throws(PacketError) {
      return .success(try HostFacts(encoded.span))
    } catch {
      return .failure(error)
    }
  }

  @Test("facts are read as they were written, and nothing else is read")
  func encoding() throws {
    let samples = [
      FactSamples.full, FactSamples.identified, FactSamples.local, FactSamples.empty,
    ]
    try CodecConformance<HostFacts>(name: "facts", samples).holds(read: 1000, refused: 1000)
    for facts in samples { #expect(Self.read(facts.encoded()) == .success(facts)) }
  }

  @Test("the entry belongs to the account that the conversation concerns")
  func identified() {
    let facts = FactSamples.full
    var asked: [Account] = []
    let identified = facts.identified { account in
      asked.append(account)
      return .local
    }
    #expect(asked == [FactSamples.account("Bob", 1001)])
    #expect(identified.user == facts.user?.identified(by: .local))
    #expect(identified.caller == facts.caller)
    #expect(identified.isLookupCertain)
    // A helper's user.
    let managing = HostFacts(
      peerUser: 1000, caller: facts.caller, user: nil, isLookupCertain: true, sharing: [],
      stacks: .unknown, secureShell: .unknown, sinceBoot: nil)
    #expect(managing.identified { _ in .local }.caller?.identity == .local)
    // An account that does not exist takes as long.
    asked = []
    let unknown = FactSamples.empty.identified { account in
      asked.append(account)
      return .local
    }
    #expect(asked.map(\.name) == [FactSamples.bytes("-")])
    #expect(unknown == FactSamples.empty)
  }

  @Test("an account whose entry is not told counts as one that could not be looked up")
  func withoutDirectory() {
    let facts = FactSamples.full.identified { _ in nil }
    #expect(facts.user == nil && !facts.isLookupCertain)
    #expect(facts.caller == FactSamples.full.caller)
  }

  @Test("more bytes than the limit are refused")
  func tooLong() {
    #expect(
      Self.read([UInt8](repeating: 0, count: HostFacts.longest + 1)) == .failure(.malformed))
  }

  @Test("what does not fit is left out and marked as uncertain")
  func tooMuch() throws {
    func facts(files: Int, groups: Int) -> HostFacts {
      let name = [UInt8](repeating: 0x61, count: 200)
      let contents = [UInt8](repeating: 0x0A, count: files)
      return HostFacts(
        peerUser: 0, caller: nil,
        user: AccountFacts(
          account: FactSamples.account("bob", 1), groups: Array(repeating: name, count: groups),
          areGroupsCertain: true),
        isLookupCertain: true, sharing: [],
        stacks: ReportedStacks(
          [.init(name, StackFile(path: name, contents: contents))], areCertain: true),
        secureShell: .unknown, sinceBoot: 1)
    }
    let whole = facts(files: 40_000, groups: 90)
    #expect(Self.read(whole.encoded()) == .success(whole))
    let withoutFiles = try Self.read(facts(files: 40_000, groups: 200).encoded()).get()
    #expect(withoutFiles.stacks == .unknown)
    #expect(withoutFiles.user?.groups.count == 200)
    let withoutGroups = try Self.read(facts(files: 40_000, groups: 400).encoded()).get()
    #expect(withoutGroups.user?.groups.count == 0)
    #expect(withoutGroups.user?.isMember(of: FactSamples.bytes("wheel")) == nil)
    #expect(withoutGroups.sinceBoot == 1)
  }

  @Test("an incomplete list of groups excludes no group")
  func uncertain() {
    let known = FactSamples.full.user
    let unknown = FactSamples.full.caller
    #expect(known?.isMember(of: FactSamples.bytes("wheel")) == true)
    #expect(known?.isMember(of: FactSamples.bytes("admins")) == false)
    #expect(known?.isMember(of: []) == .some(nil))
    #expect(unknown?.isMember(of: FactSamples.bytes("wheel")) == .some(nil))
  }

  @Test("a service file that was not reported is refused")
  func unreportedFile() throws {
    let stacks = FactSamples.full.stacks
    #expect(try stacks.file(FactSamples.bytes("sshd"))?.contents == FactSamples.bytes("auth\n"))
    #expect(try stacks.file(FactSamples.bytes("other")) == nil)
    #expect(throws: StackRefusal.self) { try stacks.file(FactSamples.bytes("sudo")) }
  }
}
