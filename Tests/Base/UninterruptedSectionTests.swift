import MFACTestSupport
import Foundation
import Glibc
import MFABase
import MFATestSupport
import Testing

/// The tests run in separate processes, because identities, limits and signals belong to a whole
/// process.
@Suite("Sections that no other user can interrupt", .privateMachine)
struct UninterruptedSectionTests {
  /// Returns the value of a line of this thread's status in /proc.
  static func status(_ name: String) -> String {
    let text = FileManager.default.contents(atPath: "/proc/thread-self/status") ?? Data()
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(name + ":\t") }.map { String($0.dropFirst(name.count + 2)) }
      ?? ""
  }

  /// The mask of SIGTSTP, SIGTTIN and SIGTTOU.
  static let stops: UInt64 = 0x380000

  static var blocked: UInt64? { UInt64(status("SigBlk"), radix: 16) }

  @Test("in a program that acts as root for a user, the user may send no signal until the end")
  func undone() async {
    await #expect(processExitsWith: .success) {
      #expect(ctest_set_identities(12345, 0, 0) == 0)
      let before = UninterruptedSectionTests.blocked
      do {
        let section = try UninterruptedSection()
        #expect(UninterruptedSectionTests.status("Uid") == "0\t0\t0\t0")
        #expect(UninterruptedSectionTests.blocked.map { $0 & 0x380000 } == 0x380000)
        let inner = try UninterruptedSection()
        _ = consume inner
        #expect(UninterruptedSectionTests.status("Uid") == "0\t0\t0\t0")
        #expect(UninterruptedSectionTests.blocked.map { $0 & 0x380000 } == 0x380000)
        _ = consume section
      }
      #expect(UninterruptedSectionTests.status("Uid") == "12345\t0\t0\t0")
      #expect(UninterruptedSectionTests.blocked == before)
    }
  }

  @Test("if the caller can signal the program and this cannot be changed, the section is refused")
  func refused() async {
    await #expect(processExitsWith: .success) {
      #expect(ctest_set_identities(12345, 12346, 12346) == 0)
      let before = UninterruptedSectionTests.blocked
      #expect(throws: SystemError(.lock, number: EPERM)) { _ = try UninterruptedSection() }
      #expect(UninterruptedSectionTests.status("Uid") == "12345\t12346\t12346\t12346")
      #expect(UninterruptedSectionTests.blocked == before)
    }
  }

  @Test("a program that no other user can signal keeps its identity")
  func own() async {
    await #expect(processExitsWith: .success) {
      #expect(ctest_set_identities(12345, 12345, 12345) == 0)
      let before = UninterruptedSectionTests.blocked
      let section = try UninterruptedSection()
      #expect(UninterruptedSectionTests.status("Uid") == "12345\t12345\t12345\t12345")
      #expect(UninterruptedSectionTests.blocked.map { $0 & 0x380000 } == 0x380000)
      _ = consume section
      #expect(UninterruptedSectionTests.blocked == before)
    }
  }
}

@Suite("Writes under RLIMIT_FSIZE", .privateMachine)
struct FileSizeLimitTests {
  @Test("a write that the limit would truncate is refused in advance, without a signal")
  func refused() async {
    await #expect(processExitsWith: .success) {
      let folder = "/var/lib/mfa-limit-\(getpid())"
      try Command.succeed(["/bin/mkdir", folder])
      let path = try #require(TrustedPath(Array((folder + "/file").utf8)))
      let directory = try path.parent()
      let file = try directory.create(path.last)
      try Command.succeed(["/usr/bin/prlimit", "--pid", "\(getpid())", "--fsize=100"])
      try file.write([UInt8](repeating: 1, count: 100))
      for (count, offset) in [(101, 0), (1, 100), (50, 60), (1, Int64.max)] as [(Int, Int64)] {
        #expect(throws: SystemError(.write, number: EFBIG), "\(count) at \(offset)") {
          try file.write([UInt8](repeating: 2, count: count), at: offset)
        }
      }
      #expect(try file.read(count: 200) == [UInt8](repeating: 1, count: 100))
      try file.write([3], at: 99)
      #expect(try file.read(count: 1, at: 99) == [3])
      try Command.succeed(["/bin/rm", "-r", folder])
    }
  }
}
