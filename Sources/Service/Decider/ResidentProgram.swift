import MFABase
import MFACrypto
import MFAWire
import MFAStore

/// The program `mfad`.
///
///     mfad                   with the sockets that the service manager passes
///     mfad --listen FOLDER   creates the sockets in FOLDER, as root, and gives up root's identity
///     mfad --mail            mails pending notices, and ends
package enum ResidentProgram {
  /// Runs the program and returns its exit status.
  @export(interface)
  package static func run() -> Int32 {
    let arguments = ProcessArguments.own
    // The variables may have been meant for another process (sd_listen_fds(3)).
    let isMeant = ProcessArguments.variable("LISTEN_PID") == ProcessArguments.ownNumber
    let names = isMeant ? ProcessArguments.variable("LISTEN_FDNAMES") ?? [] : []
    if arguments.count == 2, arguments[1] == ("--mail" as StaticString).bytes { return mail() }
    do throws(SystemError) {
      // Before the process gives up the capabilities that this requires.
      guard let sockets = try sockets(arguments, names) else {
        StandardError.write(usage)
        return fail("usage")
      }
      guard settle() else { return fail("process") }
      let user = ProcessIdentity.current.user
      guard let root = WorkerShare(ownUser: user), let users = WorkerShare(ownUser: user) else {
        return fail("memory")
      }
      let host = ResidentHost(mail: arguments.count > 1 ? .helper : .folder)
      prepare()
      var supervisor = try Supervisor([
        Worker(listener: sockets.root, host: host, share: root),
        Worker(listener: sockets.users, host: host, share: users),
      ])
      try supervisor.run()
      return 0
    } catch {
      return fail("system", error)
    }
  }

  private static var usage: StaticString {
    """
    mfad: error: there are no sockets
    usage: mfad                   started by mfad.socket and mfad-users.socket
           mfad --listen FOLDER   as root, without a service manager
           mfad --mail            mails pending notices

    """
  }

  private static func settle() -> Bool {
    do throws(SystemError) {
      try PrivilegedProcess.settle(name: "mfad", keepsDescriptors: true)
      return true
    } catch {
      return false
    }
  }

  private static func sockets(
    _ arguments: [[UInt8]], _ names: [UInt8]
  ) throws(SystemError) -> ServiceSockets? {
    guard arguments.count > 1 else { return try ServiceSockets(names: names) }
    let name = ("mfa" as StaticString).bytes
    guard arguments.count == 3, arguments[1] == ("--listen" as StaticString).bytes,
      let account = try Account.named(name), account.uid != 0,
      let group = try Account.primaryGroup(ofAccount: name)
    else { return nil }
    let sockets = try ServiceSockets(in: arguments[2])
    try PrivilegedProcess.become(account.uid, group: group)
    return sockets
  }

  /// Does once what every request needs, so that the workers share its memory: loads libcrypto
  /// and the name service.
  private static func prepare() {
    do throws(SystemError) { _ = try Account.with(uid: 0) } catch {}
    let key = [UInt8](repeating: 0, count: AES256GCM.keyLength)
    do throws(SystemError) {
      _ = try HMAC(algorithm: .sha256, key: key.span)
      _ = try AES256GCM.seal(key.span, key: key.span, associated: key.span)
    } catch {}
  }

  private static func mail() -> Int32 {
    guard settle() else { return fail("process") }
    do throws(FactorStoreError) {
      try MailQueue.empty()
      return 0
    } catch {
      var line = LogLine()
      line.add("result", "error")
      line.add(error)
      Log.write(.error, line)
      return 1
    }
  }

  private static func fail(_ reason: StaticString, _ error: SystemError? = nil) -> Int32 {
    Log.writeError(in: "resident", reason: reason, error)
    return 1
  }
}
