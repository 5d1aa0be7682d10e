import MFAPAMStack
import MultiFactor

/// What follows after a device was added: recovery codes for the first one, and what the user can try.
enum NextStep {
  /// Makes and shows the recovery codes, and says what to try. A program gets the result and the codes.
  static func tell(
    after factor: FactorEntry, with session: MultiFactorSession, of multiFactor: MultiFactor,
    on interface: UserInterface
  ) async throws(MultiFactorError) {
    let codes = await RecoveryCodeDisplay.makeFirst(with: session, of: multiFactor, to: interface)
    guard !interface.isJSON else {
      return interface.report(ProgramResult(.enrolled, factor), codes)
    }
    try await propose(of: multiFactor, on: interface)
  }

  /// Says what to try.
  static func propose(
    of multiFactor: MultiFactor, on interface: UserInterface
  ) async throws(MultiFactorError) {
    interface.tell(
      .tryNow(command: command(for: try await multiFactor.userName, on: CallingProcess.hostName)))
  }

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
