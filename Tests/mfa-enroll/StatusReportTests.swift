import Foundation
import MFABase
import MFAMessages
import MFAWire
import Testing

@testable import mfa_enroll
@testable import MultiFactor

@Suite struct StatusReportTests {
  static let now = Date(timeIntervalSince1970: 1_760_000_000)

  static func report(
    _ standing: AccountStatus.Standing, factors: [MultiFactorInfo], imported: UInt8 = 0,
    unlocks: Bool = false, enrollment: AccountStatus.Enrollment = .offered,
    state: AccountStatus.State = .enabled
  ) -> StatusReport {
    let status = AccountStatus(
      enrollment: enrollment, state: state, recoveryCodesLeft: 9,
      importedRecoveryCodesLeft: imported, recoveryCodeUnlocks: unlocks, standing: .open,
      activity: AccountStatus.Activity(
        standing: standing, failedAttempts: 5, rememberedSignIns: 2, pendingNotices: 1))
    return StatusReport(
      account: "alice", host: "web1", factors: factors, status: MultiFactorStatus(status), now: now)
  }

  @Test("the report has a line for each fact")
  func text() throws {
    let factors = [try Samples.factor([1], "phone"), try Samples.factor([2], "tablet")]
    #expect(
      Self.report(.open, factors: factors, imported: 2).text(in: .english) { _ in "DATE" } == """
        Account: alice on web1
        Devices              phone, added DATE
                             tablet, added DATE
        Recovery codes left  9, of them imported: 2
        Failed attempts      5
        Sign-ins             codes are accepted
        Remembered sign-ins  2
        Pending notices      1

        """)
  }

  @Test(
    "a wait has an end, and a lock has none",
    arguments: [
      (.throttled(seconds: 30), "no code is accepted until 1760000030"),
      (.locked, "locked until an administrator unlocks them"),
    ] as [(AccountStatus.Standing, String)])
  func standing(standing: AccountStatus.Standing, line: String) {
    let text = Self.report(standing, factors: []).text(in: .english) {
      String(Int($0.timeIntervalSince1970))
    }
    #expect(text.contains("Sign-ins             \(line)\n"), "\(text)")
    #expect(text.contains("Devices              none\n"), "\(text)")
  }

  @Test(
    "without a device, the report says what a sign-in asks for",
    arguments: [
      (.selfService, .enabled, "no code is asked for"),
      (
        .offered, .enabled,
        "no code is asked for yet, as long as you can postpone adding a device"
      ),
      (.required, .enabled, "you must add a device at the next sign-in"),
      (.required, .observe, "no code is asked for"),
      (.offered, .disabled, "no code is asked for"),
    ] as [(AccountStatus.Enrollment, AccountStatus.State, String)])
  func withoutDevice(
    enrollment: AccountStatus.Enrollment, state: AccountStatus.State, line: String
  ) throws {
    let report = Self.report(.open, factors: [], enrollment: enrollment, state: state)
    #expect(report.text(in: .english) { _ in "" }.contains("Sign-ins             \(line)\n"))
    #expect(ProgramConversation.text(of: report.encoded).contains("\"standing\":\"open\""))
  }

  @Test("where a recovery code unlocks the devices, the report says so")
  func unlocking() throws {
    let report = Self.report(.locked, factors: [], unlocks: true)
    #expect(
      report.text(in: .english) { _ in "" }.contains(
        "Sign-ins             locked until you sign in with a recovery code\n"))
    #expect(
      ProgramConversation.text(of: report.encoded).contains("\"recoveryCodeUnlocks\":true"))
    let locked = ProgramConversation.text(of: Self.report(.locked, factors: []).encoded)
    #expect(locked.contains("\"recoveryCodeUnlocks\":false"))
  }

  @Test("JSON has the end of a wait as a time")
  func json() throws {
    let text = ProgramConversation.text(
      of: Self.report(.throttled(seconds: 30), factors: []).encoded)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let values = try #require(object)
    #expect(values["account"] as? String == "alice" && values["host"] as? String == "web1")
    #expect(values["standing"] as? String == "throttled")
    #expect(values["throttledUntil"] as? String == "2025-10-09T08:53:50Z")
    #expect(values["failedAttempts"] as? Int == 5 && values["recoveryCodesLeft"] as? Int == 9)
    #expect(values["rememberedSignIns"] as? Int == 2 && values["pendingNotices"] as? Int == 1)
    #expect((values["factors"] as? [Any])?.isEmpty == true)
  }
}

@Suite struct RecoverySheetTests {
  /// A sheet with two codes.
  static func sheet(replacesOlder: Bool = true) -> RecoverySheet {
    let heading = RecoverySheet.Heading(
      account: "alice", host: "web1", date: "2026-11-23", replacesOlder: replacesOlder)
    let codes = "aaaa-bbbb-cccc-dddd" + "2222-3333-4444-5555"
    return RecoverySheet(
      RecoveryCodes(RecoveryCodeList(text: SecretBytes(copying: Array(codes.utf8).span))), heading,
      in: .english)
  }

  private static func text(of sheet: borrowing RecoverySheet) -> String {
    let span = sheet.text.span
    return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
  }

  @Test("a sheet names the account, the host and the date above the codes")
  func heading() {
    let text = Self.text(of: Self.sheet())
    #expect(
      text == """
        Recovery codes for alice on web1, made 2026-11-23

          aaaa-bbbb-cccc-dddd
          2222-3333-4444-5555

        Each code signs you in once if you don't have your device.
        Older codes no longer work. Keep this sheet apart from your
        device.

        """)
  }
  @Test("a first sheet does not mention older codes")
  func first() {
    let text = Self.text(of: Self.sheet(replacesOlder: false))
    #expect(
      text.hasSuffix(
        """
        Each code signs you in once if you don't have your device.
        Keep this sheet apart from your device.

        """), "\(text)")
  }
}

@Suite struct ImportFileTests {
  /// Runs `body` with the path of a temporary folder.
  static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
    }
    try body(folder)
  }

  static func write(_ count: Int, to path: String, mode: Int = 0o600) throws {
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(repeating: 65, count: count)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test("a file is read up to one byte more than the limit", arguments: [0, 1, 65536, 65537])
  func reading(count: Int) throws {
    try Self.withFolder { folder in
      try Self.write(count, to: folder + "/file", mode: 0o400)
      let read = try ImportFile.read(folder + "/file")
      #expect(read.count == count)
      #expect(count == 0 || read.span[count - 1] == 65)
    }
  }

  @Test("links, folders, devices, missing files and files that others may write are refused")
  func refused() throws {
    try Self.withFolder { folder in
      try Self.write(10, to: folder + "/file")
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: folder + "/file")
      try Self.write(10, to: folder + "/group", mode: 0o620)
      try Self.write(10, to: folder + "/others", mode: 0o602)
      for name in ["link", "group", "others", "nothing", "."] {
        #expect(throws: Failure.self, "\(name)") { _ = try ImportFile.read(folder + "/" + name) }
      }
      #expect(throws: Failure.self) { _ = try ImportFile.read("/dev/null") }
    }
  }
}
