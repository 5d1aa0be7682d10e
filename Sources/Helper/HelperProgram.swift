import FactorStore
import HelperProtocol
import SignIn
import System

/// The program `mfa-helper`: who calls, with whose identity, and then the conversation.
public enum HelperProgram {
  /// Runs the program and returns its exit status: 0, or 1 when it could not even begin.
  @export(interface)
  public static func run() -> Int32 {
    do throws(SystemError) {
      try PrivilegedProcess.settle(name: "mfa-helper")
      let identities = try PrivilegedProcess.identities()
      guard identities.own != 0 else {
        return refuse("root-owned", caller: identities.caller)
      }
      // In a sandbox (no_new_privs), on a file system that is mounted so (nosuid), or without its bit
      // the helper is its caller; that is of use to the store's owner alone.
      guard identities.own != identities.caller || mayOpenStore() else {
        return refuse("no-identity-of-its-own", caller: identities.caller)
      }
      guard let caller = try Account.with(uid: identities.caller) else {
        return refuse("no-such-account", caller: identities.caller)
      }
      let terminal = ControllingTerminal.name
      var conversation = Conversation(
        caller: caller,
        servesEverybody: identities.caller == 0 || identities.caller == identities.own,
        terminal: terminal, host: LocalHost(), proof: PAMProof(identities), client: PipeLink(),
        sinceBoot: bootTime, log: Log.write,
        audit: { kind, operation, succeeded in
          Audit.write(
            kind, operation, account: caller.name, address: nil, terminal: terminal,
            succeeded: succeeded)
        }, mail: Mailing.send)
      conversation.run()
      return 0
    } catch {
      var line = LogLine()
      line.add("result", "error")
      line.add("part", "process")
      line.add("errno", escaping: Array(error.name.utf8))
      Log.write(.error, line)
      return 1
    }
  }

  private static func bootTime() -> Int64? {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
  }

  private static func mayOpenStore() -> Bool {
    do throws(FactorStoreError) {
      _ = try LocalHost().store()
      return true
    } catch {
      return false
    }
  }

  /// Tells the client, and the log, that the helper will not work for this caller.
  private static func refuse(_ reason: StaticString, caller: UInt32) -> Int32 {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", "process")
    line.add("reason", reason)
    line.add("uid", Int64(caller))
    Log.write(.error, line)
    _ = PipeLink().send(.failed(.notPermitted))
    return 1
  }
}
