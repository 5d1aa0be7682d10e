import MFAAdmin
import MFAPAMStack

/// A PAM service whose `auth` stack calls pam_mfa.so.
package struct ServiceWithModule {
  /// The service's name.
  package let name: [UInt8]
  /// The service's `auth` stack.
  package let stack: ServiceStack
  /// The index of the entry of the stack that asks for the code.
  package let index: Int
  /// The file and line of that entry.
  package let position: StackPosition
  /// The module's arguments.
  package let arguments: [[UInt8]]
  /// The control that decides what the module's result does to the stack.
  package let control: StackControl
  /// What the `auth` stack does for an enrolled user who has everything but a code: without a key, and
  /// with a key that sshd has verified.
  package let effectsWithoutCode: [StackEffect]
  /// What the `auth` lines prove to a program that has verified nothing itself.
  package let firstFactor: SignInWay.FirstFactor

  /// Creates the value from a service's stack. Nil if no line calls the module.
  package init?(name: [UInt8], stack: ServiceStack) {
    guard let index = stack.moduleIndex,
      case .module(_, let arguments, let control) = stack.entries[index].kind
    else { return nil }
    self.name = name
    self.stack = stack
    self.index = index
    position = stack.entries[index].position
    self.arguments = arguments
    self.control = control
    firstFactor = Self.firstFactor(of: name, stack)
    effectsWithoutCode = Claimant.withoutCode(for: stack).map {
      StackEffect(ofAuthStack: stack, of: name, for: $0)
    }
  }

  /// The parsed arguments, or the reason why they are invalid.
  var options: Result<ModuleOptions, ModuleOptions.Refusal> {
    do throws(ModuleOptions.Refusal) {
      return .success(try ModuleOptions(arguments))
    } catch {
      return .failure(error)
    }
  }

  /// The configuration file that the line names, or nil if the host's configuration applies.
  package var configuration: [UInt8]? {
    switch options {
    case .success(let options): options.configuration
    case .failure: nil
    }
  }

  /// Whether the module takes the code from the text entered at the password prompt.
  var takesPassword: Bool {
    switch options {
    case .success(let options):
      options.forwardsPass || options.usesFirstPass || options.triesFirstPass
    case .failure: false
    }
  }

  /// Returns what the `auth` stack does for a claimant, if the service's program calls it.
  package func effect(for claimant: Claimant) -> StackEffect {
    StackEffect(ofAuthStack: stack, of: name, for: claimant)
  }

  /// Whether no user who has enrolled passes the `auth` stack without a code.
  package var asksForCode: Bool {
    effectsWithoutCode.allSatisfy { !$0.canSucceed }
  }

  /// Returns steps of the effects without a code, one for each line, in the order of the lines.
  func stepsWithoutCode(_ steps: KeyPath<StackEffect, [StackEffect.Step]>) -> [StackEffect.Step] {
    StackEffect.united(effectsWithoutCode.flatMap { $0[keyPath: steps] })
  }

  /// The file and line, escaped for display.
  package var place: String { VisibleText.escaping(position.text) }

  /// The service's name, escaped for display.
  package var visibleName: String { VisibleText.escaping(name) }

  /// Returns whether the service has one of these names.
  func isNamed(_ name: StaticString...) -> Bool {
    name.contains { self.name == Array("\($0)".utf8) }
  }
}
