import MFAEnrollMessages
import MFABase
import MultiFactor

// The key on a terminal's screen.
extension Enroll {
  /// Returns the screen on which a new key is shown, or nil if this is no terminal with a screen, or
  /// if the picture goes elsewhere.
  func keyScreen(
    of secret: TOTPSecret, multiFactor: MultiFactor, on interface: UserInterface
  ) async throws(MultiFactorError) -> KeyScreen? {
    guard !json, qr == nil || qr == .terminal, let terminal = interface.screen else { return nil }
    let hostIssuer = try await multiFactor.issuer
    let account = try await multiFactor.userName
    let issuer = issuer ?? hostIssuer
    let content = KeyScreenContent(
      key: Grouping.inFours(secret.sharedSecretKey()),
      url: secret.generateQRCodeURL(withAccountName: account, issuer: issuer),
      name: issuer.isEmpty ? account : "\(issuer) (\(account))", settings: unusualSettings,
      words: KeyScreenText(language: interface.language))
    return KeyScreen(content, input: terminal.input, output: terminal.output)
  }

  /// What the user must choose in the app when typing the key, or nil if all apps assume it.
  var unusualSettings: EnrollMessage? {
    guard algorithm != .sha1 || digits != 6 || period != 30 else { return nil }
    return .keyParameters(
      algorithm: algorithm.rawValue.uppercased(), digits: digits, seconds: period)
  }
}
