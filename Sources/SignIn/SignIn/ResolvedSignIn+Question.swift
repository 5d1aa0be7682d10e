import MFAMessages
import MFAPAMStack

extension ResolvedSignIn {
  /// The prompt: the administrator's, or the standard one in the language of this sign-in.
  var question: [UInt8] {
    options.prompt ?? text(options.forwardsPass ? .passwordAndCodePrompt : .codePrompt).utf8
  }

  /// Returns a message in the language of this sign-in.
  func text(_ message: SignInMessage) -> MessageText { message.text(in: language) }
}
