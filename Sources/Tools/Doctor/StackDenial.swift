import MFAAdmin
import MFAPAMStack

/// The reason why libpam denies a sign-in at a service, whatever the user types.
package struct StackDenial: Equatable {
  /// The kind of reason.
  package enum Cause: Equatable {
    /// libpam cannot load the module of a line.
    case module([UInt8], problem: String)
    /// The lines of this type fail, whatever their modules return.
    case lines(StackType)
    /// libpam itself cannot read the service's file, or a file that it includes.
    case unreadable(StackRefusal)
  }

  /// The file and line to look at first.
  let position: StackPosition
  /// The reason.
  package let cause: Cause

  /// The file and line, escaped for display.
  package var place: String { VisibleText.escaping(position.text) }

  /// The reason in words.
  package var reason: String {
    switch cause {
    case .module(let name, let problem):
      "libpam cannot load \(VisibleText.escaping(name)) for \(place): \(problem)"
    case .lines(let type):
      "the \(type.name) lines of the service fail whatever their modules return"
    case .unreadable(let refusal): "libpam cannot read \(place): \(StackFinding.reason(refusal))"
    }
  }
}
