extension OfflineMessage {
  private static var unreachable: MessageText { "Les serveurs du second facteur sont injoignables" }

  var french: MessageText {
    switch self {
    case .explanation: "\(Self.unreachable). Saisissez un code de récupération hors ligne."
    case .prompt: "Code de récupération hors ligne\u{a0}: "
    case .notACode:
      "Ce n’est pas un code de récupération hors ligne. Il comporte seize lettres et chiffres."
    case .wrongCode: "Le code de récupération hors ligne est incorrect ou a déjà été utilisé."
    case .accepted(let left):
      "Code de récupération hors ligne accepté. Il vous en reste \(left) pour ce groupe d’hôtes."
    case .breakGlass:
      """
      \(Self.unreachable). Vous êtes autorisé en tant que membre du groupe d’urgence. Cette \
      connexion est signalée.
      """
    case .tryAgain: "\(Self.unreachable). Réessayez dans quelques secondes."
    case .undecidable:
      "\(Self.unreachable), et cet hôte ne peut pas décider sans eux. Contactez votre administrateur."
    case .notPermitted:
      """
      \(Self.unreachable), et vous n’êtes pas autorisé à vous connecter ici sans eux. Contactez \
      votre administrateur.
      """
    case .tooLongAgo:
      """
      \(Self.unreachable), et votre dernière connexion ici est trop ancienne. Contactez votre \
      administrateur.
      """
    case .noCodes:
      """
      \(Self.unreachable), et vous n’avez pas de code de récupération hors ligne pour cet hôte. \
      Contactez votre administrateur.
      """
    case .throttled(let seconds):
      "Trop de codes incorrects. Réessayez dans \(WrittenDuration(seconds: seconds).french)."
    case .locked:
      """
      Trop de codes incorrects. Reconnectez-vous quand les serveurs du second facteur seront \
      joignables.
      """
    }
  }
}
