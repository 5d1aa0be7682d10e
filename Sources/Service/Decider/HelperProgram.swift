import MFAAttempt
import MFAStore
import MFAWire
import MFABase

/// The program `mfa-helper`: checks its caller and its own identity, and then runs the
/// conversation.
package enum HelperProgram {
  /// Runs the program and returns its exit status: 0, or 1 if the conversation could not begin.
  @export(interface)
  package static func run() -> Int32 {
    do throws(ProcessRefusal) {
      try PrivilegedProcess.settle(name: "mfa-helper")
      try PrivilegedProcess.outliveTerminal()
    } catch {
      return refuse(error)
    }
    do throws(SystemError) {
      let identities = try PrivilegedProcess.identities()
      guard identities.own != 0 else {
        return refuse("root-owned", caller: identities.caller)
      }
      // In a sandbox (no_new_privs), on a file system mounted with nosuid, or without its
      // set-user-ID bit, the helper runs with the caller's identity. Only the owner of the store
      // can use such a helper.
      guard identities.own != identities.caller || mayOpenStore() else {
        return refuse("no-identity-of-its-own", caller: identities.caller)
      }
      guard let caller = try Account.with(uid: identities.caller) else {
        return refuse("no-such-account", caller: identities.caller)
      }
      let client = PipeConnection()
      if let packet = client.receiveCall() { return try decide(packet, identities, client) }
      let decider = HelperDecider(identities, caller)
      let conversation = HelperConversation(
        with: client, of: caller, terminal: ControllingTerminal.name, proof: PAMProof(identities),
        decide: decider.decide)
      guard conversation.run() == .done else {
        return refuse(
          "too-many-helpers", caller: identities.caller, .unsuitableProcess(.tooManyHelpers))
      }
      return 0
    } catch {
      return refuse(.system(error))
    }
  }

  /// Replies to one request of the module, where no service listens.
  private static func decide(
    _ packet: consuming SecretBytes, _ identities: PrivilegedProcess.Identities,
    _ client: PipeConnection
  ) throws(SystemError) -> Int32 {
    guard case .taken(let slot) = try HelperSlot.take(for: identities) else {
      return refuse("too-many-helpers", caller: identities.caller)
    }
    // The caller can stop this process only while it holds no lock.
    guard PAMProof.retire(identities) else { return 1 }
    Alarm.set(seconds: RequestLimit.working)
    var reply = Decider.reply(
      to: packet, from: identities.caller, host: ResidentHost(mail: .helper))
    if let packet = reply?.packet() { client.reply(packet) }
    // The slot is released when the process ends.
    withExtendedLifetime(slot) {}
    return 0
  }

  /// Logs why the process is refused, and tells the client if the client can correct the cause.
  private static func refuse(_ reason: ProcessRefusal) -> Int32 {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", "process")
    switch reason {
    case .limit(let limit):
      line.add("reason", "resource-limit")
      line.add("limit", limit.name)
    case .attribute(let attribute):
      line.add("reason", attribute.name)
    case .system(let error):
      line.add("errno", escaping: Array(error.name.utf8))
    }
    line.add("uid", Int64(ProcessIdentity.current.user))
    Log.write(.error, line)
    switch reason {
    case .limit(let limit):
      let number = UInt8(truncatingIfNeeded: limit.rawValue)
      _ = PipeConnection().send(.failed(.unsuitableProcess(.resourceLimit(number))))
    case .attribute(.niceness): _ = PipeConnection().send(.failed(.unsuitableProcess(.niceness)))
    case .attribute:
      _ = PipeConnection().send(.failed(.unsuitableProcess(.schedulingPolicy)))
    case .system: break
    }
    return 1
  }

  private static func mayOpenStore() -> Bool {
    do throws(FactorStoreError) {
      _ = try LocalAuthenticationHost().store()
      return true
    } catch {
      return false
    }
  }

  /// Reports to the client and to the log that the helper does not serve this caller.
  private static func refuse(
    _ reason: StaticString, caller: UInt32, _ failure: HelperFailure = .notPermitted
  ) -> Int32 {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", "process")
    line.add("reason", reason)
    line.add("uid", Int64(caller))
    Log.write(.error, line)
    _ = PipeConnection().send(.failed(failure))
    return 1
  }
}
