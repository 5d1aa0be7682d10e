import Foundation
import MFAPAMStack
import MFATestSupport
import Testing

@testable import mfa_enroll

@Suite(.privateMachine) struct NextStepTests {
  @Test(
    "ssh is proposed only where its stack has the module",
    arguments: [
      (
        ["sshd": "auth include common\n", "common": "auth required pam_mfa.so\n"],
        "ssh alice@web1"
      ),
      (["sshd": "auth required pam_unix.so\n"], "mfa-enroll test"),
      (["sshd": "account required pam_mfa.so\n"], "mfa-enroll test"),
      (["sshd": "auth include missing\n"], "mfa-enroll test"),
      ([:], "mfa-enroll test"),
    ])
  func command(files: [String: String], command: String) throws {
    let folder = "/run/mfa-next-step-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in files {
      try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
    }
    let stacks = InstalledStacks(folders: [Array(folder.utf8)])
    #expect(NextStep.command(for: "alice", on: "web1", stacks: stacks) == command)
  }
}
