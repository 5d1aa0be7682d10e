/// The rules and settings of sudoers, with all included files, as `cvtsudoers -f json` prints them.
///
/// MUST 1: what is not understood is refused, and never a rule that grants nothing.
/// (`SudoersPolicyTests.refused`)
package struct SudoersPolicy: Equatable {
  /// The reason why the policy cannot be used.
  package struct Refusal: Error, Equatable {
    package let reason: String
  }

  /// Commands that users may run.
  package struct Rule: Equatable {
    package var users: SudoersList
    package var hosts: SudoersList
    /// The accounts to run the commands as, or nil for the default.
    package var runAsUsers: SudoersList?
    package var runAsGroups: SudoersList?
    package var commands: SudoersList
    /// Whether the tag PASSWD (true) or NOPASSWD (false) is set.
    package var authenticates: Bool?
    package var isNoExec = false
    /// The time after which the rule no longer applies, as `YYYYMMDDHHMMSSZ`.
    package var notAfter: String?
    package var notBefore: String?
    /// The number of the user specification that the rule belongs to.
    package var specification: Int
  }

  /// A setting of a `Defaults` line.
  package struct Default: Equatable {
    /// What the line applies to.
    package enum Scope: Equatable {
      case global
      /// The users or hosts of the list.
      case users
      case hosts
      case runAs
      case commands
    }

    package let scope: Scope
    package let members: SudoersList
    package let name: String
    package let value: SudoersValue
    /// The number of the `Defaults` line.
    package let line: Int
  }

  package var rules: [Rule] = []
  package var defaults: [Default] = []

  package init(rules: [Rule] = [], defaults: [Default] = []) {
    self.rules = rules
    self.defaults = defaults
  }
}
