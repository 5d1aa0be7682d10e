import PAMStack
import SignIn

/// A service whose `auth` lines ask the module.
struct AskedService {
  /// Its name.
  let name: [UInt8]
  /// Its `auth` lines.
  let stack: ServiceStack
  /// The first of them that asks the module, as a place among the entries.
  let index: Int
  /// Where that line stands.
  let position: StackPosition
  /// The module's arguments.
  let arguments: [[UInt8]]
  /// What becomes of the module's answer.
  let control: StackControl

  /// Nil where no line asks the module.
  init?(name: [UInt8], stack: ServiceStack) {
    for (index, entry) in stack.entries.enumerated() where entry.asks(module: "pam_mfa.so") {
      guard case .module(_, let arguments, let control) = entry.kind else { continue }
      self.name = name
      self.stack = stack
      self.index = index
      position = entry.position
      self.arguments = arguments
      self.control = control
      return
    }
    return nil
  }

  /// What the arguments come to, or what is wrong with them.
  var options: Result<ModuleOptions, ModuleOptions.Refusal> {
    do throws(ModuleOptions.Refusal) {
      return .success(try ModuleOptions(arguments))
    } catch {
      return .failure(error)
    }
  }

  /// The one configuration file that the line names; nil for the host's.
  var configuration: [UInt8]? {
    switch options {
    case .success(let options): options.configuration
    case .failure: nil
    }
  }

  /// Whether the module takes its code from what was typed for a password.
  var takesPassword: Bool {
    switch options {
    case .success(let options):
      options.forwardsPass || options.usesFirstPass || options.triesFirstPass
    case .failure: false
    }
  }

  /// The line as a person finds it.
  var place: String { VisibleText.escaping(position.text) }

  /// The service's name as it may be shown.
  var visibleName: String { VisibleText.escaping(name) }

  /// Whether it is this service.
  func isNamed(_ name: StaticString...) -> Bool {
    name.contains { self.name == Array("\($0)".utf8) }
  }
}
