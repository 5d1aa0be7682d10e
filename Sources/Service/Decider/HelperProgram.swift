import MFAAttempt
import MFABase
import MFAStore
import MFAWire

/// The program `mfa-helper`: checks its caller and its own identity, and then runs the
/// conversation.
package enum HelperProgram {
  /// Runs the program and returns its exit status: 0, or 1 if the conversation could not begin.
  @export(interface)
  package static func run() -> Int32 {
    do throws(SystemError) {
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
        with: client, of: caller, terminal: ControllingTerminal.name,
        remoteHost: LoginSession.remoteHost(of: caller.uid).map { Array($0.prefix(255)) },
        proof: PAMProof(identities),
        decide: decider.decide)
      guard conversation.run() == .done else {
        return refuse(
          "too-many-helpers", caller: identities.caller, .unsuitableProcess(.tooManyHelpers))
      }
      return 0
    } catch {
      return refuse(error)
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
    if PAMProof.retire(identities, whenThisEnds: .ends) {
      let reply = Decider.reply(
        to: packet, from: identities.caller, host: ResidentHost(mail: .helper))
      if let packet = reply?.packet() { client.reply(packet) }
      WorkerProcess.leave(0)
    }
    // The slot is released when the process ends.
    withExtendedLifetime(slot) {}
    return 0
  }

  /// Logs why the process is refused, and tells the client if the client can correct the cause.
  private static func refuse(_ reason: SystemError) -> Int32 {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", "process")
    var failure: HelperFailure?
    switch reason.obstacle {
    case .limit(let limit):
      line.add("reason", "resource-limit")
      line.add("limit", limit.name)
      failure = .unsuitableProcess(.resourceLimit(UInt8(truncatingIfNeeded: limit.rawValue)))
    case .attribute(let attribute):
      line.add("reason", attribute.name)
      failure = .unsuitableProcess(attribute == .niceness ? .niceness : .schedulingPolicy)
    case .untrusted, .cryptography, nil: line.add("errno", escaping: bytes(of: reason.name))
    }
    line.add("uid", Int64(ProcessIdentity.current.user))
    Log.write(.error, line)
    if let failure { _ = PipeConnection().send(.failed(failure)) }
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
    var line = LogLine(errorIn: "process", reason: reason)
    line.add("uid", Int64(caller))
    Log.write(.error, line)
    _ = PipeConnection().send(.failed(failure))
    return 1
  }
}

/// A slot for one of the helpers that a user may run at the same time, occupied as long as the
/// value lives.
///
/// A helper that has given up its caller's identity counts as a process of `mfa`, so the caller's
/// RLIMIT_NPROC does not limit the number of helpers. Each helper therefore locks one byte of
/// `/var/lib/mfa/helpers`, which only `mfa` can open. The kernel releases the lock when the process
/// ends.
struct HelperSlot: ~Copyable {
  /// The result of taking a slot.
  enum Result: ~Copyable {
    case taken(HelperSlot)
    /// The user already runs the maximum number of helpers.
    case full
  }

  /// The maximum number of helpers for one user.
  static var maximumPerUser: Int64 { 16 }

  /// The maximum number of helpers that were started by other helpers to mail notices.
  static var maximumMailers: Int64 { 64 }

  /// The distance between the first bytes of two users' slots.
  private static var bytesPerUser: Int64 { 256 }

  private let file: File?

  /// Takes a slot for the caller. The number of helpers is not limited for root, or if the store
  /// cannot be opened; the decision will report that failure.
  static func take(
    for identities: PrivilegedProcess.Identities
  ) throws(SystemError) -> Result {
    guard identities.caller != 0, let file = openFile(identities.own) else {
      return .taken(HelperSlot(file: nil))
    }
    let slots = identities.caller == identities.own ? maximumMailers : maximumPerUser
    let first = Int64(identities.caller) &* bytesPerUser
    for slot in 0..<slots where try file.lockByte(at: first &+ slot) {
      return .taken(HelperSlot(file: file))
    }
    return .full
  }

  private static func openFile(_ owner: UInt32) -> File? {
    guard let location = StoreLocation.standard, let name = FileName(StoreFile.helpers.name) else {
      return nil
    }
    do throws(SystemError) {
      let directory = try location.directory.lastDirectory()
      guard try directory.status().owner == owner else { return nil }
      let file = try directory.fileForUpdatingOrNew(name)
      let distrust = try file.status().distrust(owners: (owner, owner), permissions: 0o600)
      guard distrust == nil else { return nil }
      return file
    } catch {
      return nil
    }
  }
}

/// The client at the other end of standard input and output.
package final class PipeConnection: FrameLink {
  private let channel = Channel()
  /// The first frame, if it was read to see what it is.
  private var first: SecretBytes?

  /// Creates the link.
  package init() {}

  /// How long the client may take to send the first frame, in seconds.
  private static var patience: Int64 { ProtocolDeadline.later }

  /// Waits for the first frame. Returns the packet of the module, if it is one, and keeps another frame as
  /// the next one that is received.
  func receiveCall() -> SecretBytes? {
    switch receiveBody(seconds: Self.patience, longest: Coder.longest) {
    case .body(let body):
      let isCall = body.withSpan { SignInCall.begins($0) }
      if isCall { return body }
      first = consume body
      return nil
    case .ended: return nil
    case .malformed: return nil
    }
  }

  /// Sends the reply to a packet of the module.
  func reply(_ packet: borrowing SecretBytes) {
    var writer = ByteWriter()
    writer.write(UInt32(truncatingIfNeeded: packet.count))
    let frame = SecretBytes(joining: writer.bytes.span, packet.span)
    _ = send(frame.span)
  }

  /// Reads a frame from standard input.
  package func receiveBody(seconds: Int64) -> ClientFrame {
    if let body = first.take() {
      return body.count <= Frame.longestBody ? .body(body) : .malformed
    }
    return receiveBody(seconds: seconds, longest: Frame.longestBody)
  }

  private func receiveBody(seconds: Int64, longest: Int) -> ClientFrame {
    let seconds = Int32(clamping: seconds)
    var header = SecretBytes(count: Frame.headerLength)
    guard fill(&header, seconds) else { return .ended }
    let length = Frame.length(header: header.span)
    guard length > 0, length <= longest else { return .malformed }
    var body = SecretBytes(count: length)
    guard fill(&body, seconds) else { return .ended }
    return .body(body)
  }

  private func fill(_ bytes: inout SecretBytes, _ seconds: Int32) -> Bool {
    do throws(SystemError) {
      return try bytes.withMutableSpan { span throws(SystemError) in
        try channel.receive(into: &span, seconds: seconds)
      }
    } catch {
      return false
    }
  }

  /// Writes frames to standard output, and returns whether that succeeded.
  package func send(_ frames: Span<UInt8>) -> Bool {
    do throws(SystemError) {
      try channel.send(frames)
      return true
    } catch {
      return false
    }
  }
}
