import MFAMessages

extension StatusMessage {
  /// The text in French.
  package var french: MessageText {
    switch self {
    case .devices: "Appareils"
    case .recoveryCodesLeft: "Codes de récupération restants"
    case .failedAttempts: "Tentatives infructueuses"
    case .signIns: "Connexions"
    case .rememberedSignIns: "Connexions mémorisées"
    case .pendingNotices: "Notifications en attente"
    case .device(let name, let date): "\(name), ajouté le \(date)"
    case .noDevice: "aucun"
    case .codesWithImported(let left, let imported):
      "\(left) (importés\u{a0}: \(imported))"
    case .open: "les codes sont acceptés"
    case .noCodeAsked: "aucun code n’est demandé"
    case .deviceOffered:
      "aucun code n’est demandé tant que l’ajout d’un appareil peut être reporté"
    case .deviceRequired: "un appareil doit être ajouté à la prochaine connexion"
    case .throttled(let end): "aucun code n’est accepté avant le \(end)"
    case .locked: "verrouillées jusqu’à l’intervention d’un administrateur"
    case .lockedUntilRecoveryCode:
      "verrouillées jusqu’à une connexion avec un code de récupération"
    }
  }
}
