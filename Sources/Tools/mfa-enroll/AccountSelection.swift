import MFAEnrollMessages
import MultiFactor

/// The selection of the account whose devices a command shows or changes.
///
/// The helper goes by the user ID of this process, so root becomes the user that it names.
enum AccountSelection {
  /// What a command that was started by `caller` does.
  enum Step: Equatable {
    /// The account is that of the process.
    case own
    /// The process becomes this user.
    case become(String)
    /// The user who used sudo says which account is meant.
    case ask(user: String)
  }

  /// The user who started the command.
  struct Caller: Equatable {
    /// The name of the account of this process.
    let name: String
    /// Whether the process has the user ID 0.
    let isRoot: Bool
    /// The user who used sudo, from the environment variable SUDO_USER.
    let sudoUser: String?
  }

  /// Returns what to do for a caller who names the account `named`, or none.
  ///
  /// - Throws: a failure if the caller may not use the account.
  static func step(named: String?, by caller: Caller) throws(Failure) -> Step {
    if let named {
      if named == caller.name { return .own }
      guard caller.isRoot else { throw Failure(.otherAccount(name: named)) }
      return .become(named)
    }
    guard caller.isRoot, let user = caller.sudoUser, !user.isEmpty, user != caller.name else {
      return .own
    }
    return .ask(user: user)
  }

  /// Makes this process run as the account that a command is for.
  static func select(for command: any EnrollCommand) throws(Failure) {
    let caller = CallingProcess.caller
    switch try step(named: command.options.user, by: caller) {
    case .own: break
    case .become(let name): try become(name)
    case .ask(let user):
      guard !command.isForProgram else { throw Failure(.accountNotNamed(user: user)) }
      let name = try choice(of: user, or: caller.name, on: try UserInterface(for: command))
      if name != caller.name { try become(name) }
    }
  }

  private static func become(_ name: String) throws(Failure) {
    try CallingProcess.become(name)
    // The system ends the protection when the user ID changes.
    guard MultiFactor.protectProcess() else { throw Failure(.processNotProtected) }
  }

  /// Asks for which of two accounts the command is.
  private static func choice(
    of user: String, or root: String, on interface: UserInterface
  ) throws(Failure) -> String {
    var question = EnrollMessage.accountChoice(user: user, root: root)
    while let answer = interface.ask(question, echo: true) {
      let name = interface.text(of: answer)
      if name == user || name == root { return name }
      question = .accountChoiceAgain(user: user, root: root)
    }
    interface.endLine()
    throw Failure(.accountNotNamed(user: user))
  }
}
