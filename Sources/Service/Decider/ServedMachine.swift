import MFABase
import MFAModel
import MFAWire
import MFASignIn

/// A host of which an application at the other end of a connection tells facts about its own process.
///
/// Only an application that acts as root is believed.
package protocol ServedMachine: Host {
  /// The application.
  var application: ServedApplication { get }
}

extension ServedMachine {
  /// Asks for the address of the application's own network peer.
  package func peer() -> UInt128? {
    guard let address = fact(.peer), address.count == 16 else { return nil }
    return address.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
  }

  /// Asks for the session of the application's process.
  package var session: SignInOrigin? { fact(.session).map { SignInOrigin(.session, $0) } }

  /// Asks for the sessions that the process may be part of.
  package var enclosingSessions: [SignInOrigin] {
    var sessions: [SignInOrigin] = []
    let list = fact(.enclosingSessions) ?? []
    var reader = ByteReader(list.span)
    while let session = reader.readShort() { sessions.append(SignInOrigin(.session, session)) }
    return sessions
  }

  /// Asks whether the process leads its session.
  package var leadsSession: Bool { fact(.leadsSession) == [1] }

  /// Asks whether the locale of the application's user stands for UTF-8.
  package var usesUTF8: Bool { fact(.usesUTF8) != [0] }

  /// Asks for the controlling terminal of the process.
  package var controllingTerminal: [UInt8]? { fact(.controllingTerminal) }

  private func fact(_ fact: ApplicationFact) -> [UInt8]? {
    identity.actsAsRoot ? application.fact(fact) : nil
  }
}
