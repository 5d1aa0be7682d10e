import MFAWire
import MFAModel
import MFABase
import MFASignIn
import MFAPAMStack

/// An application that answers every prompt with an empty text and stores nothing.
struct SilentApplication: Application {
  func ask(_ prompt: [UInt8], echo: Bool) -> Reply { Self.nothing }

  func tell(_ text: String, essential: Bool) {}

  var showsMessages: Bool { false }

  func reveal(_ text: String, _ secret: consuming SecretBytes) {}

  func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply { Self.nothing }

  func note(_ note: TransactionNote, of name: [UInt8]) -> Bool { true }

  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool { false }

  func log(_ priority: LogPriority, _ line: LogLine) {}

  func audit(_ record: Audit.Record) {}

  func earlierAnswer() -> Reply { Self.nothing }

  func earlierMethods() -> [UInt8]? { [] }

  func forward(_ password: Span<UInt8>) -> Bool { true }

  private static var nothing: Reply {
    let empty: [UInt8] = []
    return .text(SecretBytes(copying: empty.span))
  }
}
