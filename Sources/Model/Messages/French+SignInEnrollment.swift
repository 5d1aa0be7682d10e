extension SignInEnrollmentMessage {
  var french: MessageText {
    switch self {
    case .introduction(let seconds):
      """
      Cet hôte exige un code d’une application d’authentification. Préparez votre téléphone. \
      Vous avez \(Self.limit(seconds).french). Pour arrêter, appuyez sur Entrée au lieu de saisir \
      un code.
      """
    case .forms:
      """
      1  Code QR, pour une fenêtre à fond sombre
      2  Code QR, pour une fenêtre à fond clair
      3  Clé à saisir dans l’application
      """
    case .formPrompt: "Saisissez 1, 2 ou 3\u{a0}: "
    case .scan: "Scannez ceci avec l’application d’authentification."
    case .typeKey: "Saisissez cette clé dans l’application\u{a0}:"
    case .openURL: "Ou ouvrez cette URL avec l’application\u{a0}:"
    case .codeOrFormPrompt: "Code de l’application, ou 3 pour une clé à saisir\u{a0}: "
    case .codePrompt: "Code de l’application\u{a0}: "
    case .wrongCode: "Code incorrect. Saisissez celui que l’application affiche maintenant."
    case .namePrompt(let usual): "Nom de cet appareil [\(usual)]\u{a0}: "
    case .unsupportedName: "Un nom doit comporter de 1 à 64 caractères visibles."
    case .done:
      """
      Votre appareil est ajouté. Pour votre prochaine connexion, utilisez un nouveau code de \
      l’application.
      """
    case .recoveryCodes(let user, let host, let day):
      """
      Codes de récupération de \(user) sur \(host), \(day). Utilisez-en un quand vous n’avez pas \
      votre appareil\u{a0}:
      """
    case .keepRecoveryCodes:
      """
      Chacun sert une seule fois. Ils ne seront plus affichés\u{a0}: notez-les, et gardez-les loin \
      de votre téléphone.
      """
    case .recoveryCodesPrompt: "Appuyez sur Entrée quand vous les aurez notés\u{a0}: "
    }
  }
}
