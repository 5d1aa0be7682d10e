import MFABase

/// The gateway service, which runs the program that sends messages to phones.
///
///     mfad --gateway                   with the socket that the service manager passes
///     mfad --gateway --listen FOLDER   creates the socket in FOLDER, as root, and becomes mfa-gateway
///
/// It runs as the system user `mfa-gateway`, which owns nothing and cannot read the sealing key, and
/// accepts messages only from root and from the user `mfa`.
package enum GatewayServer {
  /// The user of the service.
  private static var userName: StaticString { "mfa-gateway" }
  /// The user of the resident service and of the helper, who hand over messages.
  private static var clientName: StaticString { "mfa" }

  /// Runs the program and returns its exit status.
  @export(interface)
  package static func run() -> Int32 {
    let arguments = ProcessArguments.own
    do throws(SystemError) {
      guard let client = try Account.named(clientName.bytes) else { return fail("no-account") }
      guard let listener = try listener(arguments) else {
        StandardError.write(usage)
        return fail("usage")
      }
      guard settle() else { return fail("process") }
      let user = ProcessIdentity.current
      guard user.user != 0, !user.actsAsRoot, user.user != client.uid else {
        return fail("identity")
      }
      var supervisor = try GatewaySupervisor(
        GatewayWorker(listener: listener, client: client.uid))
      try supervisor.run()
      return 0
    } catch {
      return fail("system", error)
    }
  }

  private static func settle() -> Bool {
    do throws(SystemError) {
      try PrivilegedProcess.settle(name: "mfad", keepsDescriptors: true)
      return true
    } catch {
      return false
    }
  }

  private static var usage: StaticString {
    """
    mfad: error: there is no socket for the gateway
    usage: mfad --gateway                   started by mfa-gateway.socket
           mfad --gateway --listen FOLDER   as root, without a service manager

    """
  }

  /// Returns the listener of the service manager, or creates one and gives up root's identity.
  /// Returns nil if neither is possible.
  private static func listener(_ arguments: [[UInt8]]) throws(SystemError) -> PacketListener? {
    guard arguments.count > 2 else {
      // The variables may have been meant for another process (sd_listen_fds(3)).
      guard ProcessArguments.variable("LISTEN_PID") == ProcessArguments.ownNumber,
        ProcessArguments.variable("LISTEN_FDNAMES") == ("gateway" as StaticString).bytes
      else { return nil }
      return try PacketListener(descriptor: 3)
    }
    let name = userName.bytes
    guard arguments.count == 4, arguments[2] == ("--listen" as StaticString).bytes,
      let account = try Account.named(name), account.uid != 0,
      let group = try Account.primaryGroup(ofAccount: name),
      let clientGroup = try Account.primaryGroup(ofAccount: clientName.bytes)
    else { return nil }
    let listener = try PacketListener(
      creating: arguments[3] + ("/gateway" as StaticString).bytes, permissions: 0o660,
      group: clientGroup)
    try PrivilegedProcess.become(account.uid, group: group, groupsOf: name)
    return listener
  }

  private static func fail(_ reason: StaticString, _ error: SystemError? = nil) -> Int32 {
    Log.writeError(in: "gateway", reason: reason, error)
    return 1
  }
}
