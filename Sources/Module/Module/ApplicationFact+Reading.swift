import MFAWire
import MFABase

extension ApplicationFact {
  /// Returns the value of the fact for this process, or nil if it is unknown.
  func value(of application: some Application) -> [UInt8]? {
    switch self {
    case .earlierMethods: application.earlierMethods()
    case .peer: Connection.peer().map { Self.bytes($0) }
    case .session: ProcessInstance.ownSession?.bytes
    case .enclosingSessions: Self.enclosingSessions
    case .leadsSession: [ProcessInstance.isLeader ? 1 : 0]
    case .controllingTerminal: ControllingTerminal.name
    case .usesUTF8: [ProcessLocale.isUTF8 ? 1 : 0]
    }
  }

  private static func bytes(_ address: UInt128) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(address)
    return writer.bytes
  }

  private static var enclosingSessions: [UInt8] {
    var writer = ByteWriter()
    for session in ProcessInstance.enclosing { writer.writeShort(session.bytes) }
    return writer.bytes
  }
}
