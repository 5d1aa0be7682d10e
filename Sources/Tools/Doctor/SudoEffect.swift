/// What sudo does when a user runs a command: whether it asks, whom, and through which PAM service.
package struct SudoEffect: Hashable {
  /// What happens.
  package enum Kind: Hashable {
    /// sudo asks for nothing.
    case asksForNothing(Reason)
    /// sudo asks once, and then not again for these minutes; a negative number means for ever.
    case asksRarely(minutes: String)
    /// One code opens sudo in all terminals of the user.
    case asksOnceForAllTerminals
    /// sudo authenticates another account.
    case asksOtherAccount(Account)
    /// sudo uses this PAM service.
    case uses(service: String, Invocation)
    /// sudo does not run the `account` lines of the PAM service.
    case skipsAccountLines(service: String)
  }

  /// Why sudo asks for nothing.
  package enum Reason: Hashable {
    /// The tag `NOPASSWD`.
    case tag
    /// `!authenticate`.
    case setting
    /// `exempt_group`.
    case group(String)
  }

  /// The account that sudo authenticates, instead of the user who runs it.
  package enum Account: Hashable {
    case root
    /// The account that commands run as by default.
    case byDefault(String)
    /// The account that the command runs as.
    case target(String)
  }

  /// How sudo is started.
  package enum Invocation: Hashable {
    /// `sudo COMMAND`
    case command
    /// `sudo -i`
    case loginShell
    /// `sudo -A`
    case askpass
  }

  /// What causes the effect.
  package enum Source: Hashable {
    /// A user specification, by number.
    case specification(Int)
    /// A `Defaults` line, by number.
    case defaults(Int)
    /// No file: sudo was built with the setting, or has it from a directory.
    case elsewhere
  }

  package let kind: Kind
  package let source: Source
  /// The command.
  package let command: SudoersCommand
  /// True if the user can run every command, or a command that starts other commands.
  package let isAnyCommand: Bool
  /// The name of the account that the command runs as.
  package let target: String
  /// Whether that account is root.
  package let isAsRoot: Bool
}
