import MFABase
import MFAWire

/// Why there is no reply. Every case denies the sign-in.
package enum DeciderFailure: Error, Equatable {
  /// A user other than root created the listener.
  case untrusted(UInt32)
  /// The service has too many connections.
  case busy
  /// The decider ended without a reply.
  case ended
  case silent
  case malformed
  case tooManyQuestions
  /// Programs that this process starts cannot change their identity (no_new_privs).
  case confined
  case system(SystemError)

  /// Describes the failure in a line of the system log.
  func describe(in line: inout LogLine) {
    line.add("part", self == .confined ? "helper" : "resident")
    switch self {
    case .untrusted(let owner):
      line.add("reason", "wrong-owner")
      line.add("owner", Int64(owner))
    case .busy: line.add("reason", "busy")
    case .ended: line.add("reason", "ended")
    case .silent: line.add("reason", "silent")
    case .malformed: line.add("reason", "malformed")
    case .tooManyQuestions: line.add("reason", "too-many-questions")
    case .confined: line.add("reason", "no-new-privileges")
    case .system(let error): line.add(error)
    }
  }
}

/// Who replies to the module, and what the module knows of the application's process.
package protocol ReplySource {
  /// Returns the reply to a request.
  func reply(to call: inout SignInCall) throws(DeciderFailure) -> SignInReply
  /// The facts about the application's process.
  var facts: ApplicationFacts { get }
}

/// Who replies to the module: `mfad`, or the relay of a realm, and where neither listens `mfa-helper`,
/// which is started for one request.
///
/// MUST 1: only a listener that root created is trusted. (`DecidersTests.owner`)
/// MUST 2: every wait has a deadline. (`DecidersTests.silence`)
/// MUST 3: the helper is started only if the request was not read. (`DecidersTests.unread`)
package struct Deciders: ReplySource, Sendable {
  private let socket: [UInt8]
  private let helper: [UInt8]
  /// The user ID of the listener's creator.
  private let owner: UInt32
  private let patience: Int64
  private let isConfined: Bool

  /// Those at these paths. `patience` is how long a reply may take, in seconds.
  package init(
    socket: [UInt8], helper: [UInt8], owner: UInt32 = 0, patience: Int64 = ProtocolDeadline.later,
    isConfined: Bool = false
  ) {
    self.socket = socket
    self.helper = helper
    self.owner = owner
    self.patience = patience
    self.isConfined = isConfined
  }

  /// Those of this host, for a process with this identity.
  static func installed(for identity: ProcessIdentity) -> Deciders {
    let socket =
      identity.actsAsRoot ? InstalledPath.residentRootSocket : InstalledPath.residentUserSocket
    return Deciders(
      socket: socket.bytes, helper: InstalledPath.helper.bytes, isConfined: identity.isConfined)
  }

  /// The facts about this process.
  package var facts: ApplicationFacts { .ofThisProcess }

  /// Returns the reply to a request.
  package func reply(to call: inout SignInCall) throws(DeciderFailure) -> SignInReply {
    // A sign-in with the longest arguments does not fit in a packet.
    guard let packet = call.packet() else { throw .malformed }
    let answer: SecretBytes
    switch try service(packet) {
    case .some(let received): answer = received
    case .none: answer = try helper(packet)
    }
    do throws(PacketError) {
      return try SignInReply(packet: answer)
    } catch {
      throw .malformed
    }
  }

  /// Returns the reply of the service, or nil if none listens or it has no process for this request.
  private func service(_ packet: borrowing SecretBytes) throws(DeciderFailure) -> SecretBytes? {
    let connection: PacketConnection
    let owner: UInt32
    do throws(SystemError) {
      connection = try PacketConnection(to: socket)
      owner = try connection.peer().user
    } catch {
      // No socket, no listener, no permission, or a full queue.
      return nil
    }
    guard owner == self.owner else { throw .untrusted(owner) }
    let received: PacketConnection.Received
    var isSent = true
    do throws(SystemError) {
      do throws(SystemError) {
        try connection.send(packet.span)
      } catch {
        // The service may have sent a reply before it closed the connection.
        guard error.isBrokenPipe else { throw error }
        isSent = false
      }
      received = try connection.receive(seconds: patience)
    } catch {
      throw .system(error)
    }
    switch consume received {
    case .packet(let packet):
      let isBusy = packet.withSpan { SignInReply.isBusy($0) }
      if isBusy { return nil }
      return packet
    case .unread: return nil
    case .ended:
      guard isSent else { return nil }
      throw .ended
    case .silent: throw .silent
    case .tooLong: throw .malformed
    }
  }

  /// Returns the reply of a helper that serves this request alone.
  private func helper(_ packet: borrowing SecretBytes) throws(DeciderFailure) -> SecretBytes {
    guard !isConfined else { throw .confined }
    let process: SupervisedProgram
    do throws(SystemError) {
      process = try SupervisedProgram(path: helper, name: "mfa-helper")
    } catch {
      throw .system(error)
    }
    do throws(SystemError) {
      var writer = ByteWriter()
      writer.write(UInt32(truncatingIfNeeded: packet.count))
      try process.send(writer.bytes.span)
      try process.send(packet.span)
    } catch {
      // The helper ended without reading the request, or could not be started.
      guard error.isBrokenPipe else { throw .system(error) }
      throw Self.end(of: process)
    }
    let header = try receive(Frame.headerLength, from: process)
    let length = Frame.length(header: header.span)
    guard length > 0, length <= Coder.longest else { throw .malformed }
    return try receive(length, from: process)
  }

  private func receive(
    _ count: Int, from process: SupervisedProgram
  ) throws(DeciderFailure) -> SecretBytes {
    var bytes = SecretBytes(count: count)
    let reception: SupervisedProgram.Reception
    do throws(SystemError) {
      reception = try bytes.withMutableSpan { span throws(SystemError) in
        try process.receive(into: &span, seconds: patience)
      }
    } catch {
      throw .system(error)
    }
    switch reception {
    case .complete: return bytes
    case .ended: throw Self.end(of: process)
    case .silent: throw .silent
    }
  }

  /// Returns why a helper ended without a reply.
  private static func end(of process: SupervisedProgram) -> DeciderFailure {
    guard let error = process.startFailure() else { return .ended }
    return .system(error)
  }
}

extension ApplicationFacts {
  /// The facts about this process.
  fileprivate static var ofThisProcess: ApplicationFacts {
    var facts = ApplicationFacts()
    facts.peer = Connection.peer().map { address in
      var writer = ByteWriter()
      writer.write(address)
      return writer.bytes
    }
    facts.session = ProcessInstance.ownSession?.bytes
    facts.enclosingSessions = ProcessInstance.enclosing.map { $0.bytes }
    facts.leadsSession = ProcessInstance.isLeader
    facts.terminal = ControllingTerminal.name
    return facts
  }
}
