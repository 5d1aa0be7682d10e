import MFAPAMStack

/// What a user can try after a device was added.
enum NextStep {
  /// Returns a command with which a code of the new device is asked for: a sign-in over ssh if the stack of sshd
  /// contains the module, and otherwise a test of the code.
  static func command(
    for user: String, on host: String, stacks: InstalledStacks = InstalledStacks()
  ) -> String {
    asksForCode("sshd", stacks) ? "ssh \(user)@\(host)" : "mfa-enroll test"
  }

  private static func asksForCode(_ service: String, _ stacks: InstalledStacks) -> Bool {
    do throws(StackRefusal) {
      return try ServiceStack(.auth, of: Array(service.utf8), from: stacks).entries.contains {
        $0.asks(module: "pam_mfa.so")
      }
    } catch {
      return false
    }
  }
}
