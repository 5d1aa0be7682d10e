import MFAWire
import MFABase
import MFAModel
import MFAMessages
import MFAPAMStack

// The language of messages: the host's, until the first factor has been proven. Before that, the
// language that a user enrolled with would reveal that the user has enrolled.
extension SignIn {
  /// Uses the host's language, or English if the terminal cannot show it.
  func useHostLanguage(_ resolved: Resolved) {
    use(resolved.settings.language, resolved)
  }

  /// Uses the language that the user enrolled with, if the first factor has certainly been proven.
  func useLanguageIfProven(of record: FactorRecord, _ account: Account, _ resolved: Resolved) {
    guard isFirstFactorCertain(account, resolved) else { return }
    useLanguage(of: record, resolved)
  }

  /// Returns whether the first factor has certainly been proven.
  func isFirstFactorCertain(_ account: Account, _ resolved: Resolved) -> Bool {
    let options = resolved.options
    return !options.expectsPassword && (options.followsPassword || isFirstFactorProven(account))
  }

  /// Uses the language that the user enrolled with. The first factor must have been proven, or a
  /// code of the record accepted.
  func useLanguage(of record: FactorRecord, _ resolved: Resolved) {
    guard let language = record.language else { return }
    use(language, resolved)
  }

  /// Uses a language, or English if the terminal cannot show it.
  private func use(_ language: Language, _ resolved: Resolved) {
    resolved.language = isShown(language) ? language : .english
    guard application.use(resolved.language) else { return }
    addClosingPrompt(resolved)
  }

  /// Has the module ask the text with which the sign-in ends as a question, where the application can ask questions.
  ///
  /// OpenSSH's client writes the last text of sshd, which comes without a question, as a line of its log: in octal unless
  /// it is in ASCII, and not at all after `ssh -q`. It shows a question as it is.
  func addClosingPrompt(_ resolved: Resolved) {
    let options = resolved.options
    guard SessionService(request.service) == .sshd, !options.forwardsPass, !options.usesFirstPass
    else { return }
    application.add(.closingPrompt(resolved.text(.closingPrompt).utf8.span))
  }

  /// Returns whether sshd reports that another method succeeded, or the user's own program asks.
  private func isFirstFactorProven(_ account: Account) -> Bool {
    if !isCalledByRoot, identity.user == account.uid { return true }
    guard let methods = application.earlierMethods else { return false }
    return !methods.isEmpty
  }

  /// Returns whether the terminal can show a language. The Linux console has no wide characters, and
  /// a session with another character set than UTF-8 shows ASCII at most.
  private func isShown(_ language: Language) -> Bool {
    guard language == .english || showsUTF8 else { return false }
    return language.isShown(atTerminal: request.terminal)
  }

  /// Whether text in UTF-8 can be shown. Only a program that the user started within a session has
  /// the user's environment: sshd gets the client's locale after the sign-in.
  private var showsUTF8: Bool {
    guard SessionService(request.service) == .command || !isCalledByRoot else { return true }
    return application.usesUTF8
  }
}
