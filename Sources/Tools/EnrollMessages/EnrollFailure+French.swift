import MFAMessages

extension EnrollFailure {
  /// The text in French.
  package var french: FailureText {
    switch self {
    case .noTerminal:
      FailureText(
        "Il n’y a pas de terminal pour poser des questions.",
        hint: """
          Utilisez ssh -t, ou indiquez avec --stdin qu’un programme écrit les réponses sur \
          l’entrée standard. Un mot de passe saisi sans terminal serait visible.
          """)
    case .otherAccount(let name):
      FailureText(
        "Seul root peut utiliser mfa-enroll pour un autre compte (\(name)).",
        hint: "Pour votre propre compte, lancez-le sans --user.")
    case .unknownAccount(let name):
      FailureText(
        "Le compte \(name) n’existe pas sur cet hôte.", hint: "Vérifiez le nom après --user.")
    case .accountNotNamed(let user):
      FailureText(
        "mfa-enroll a été lancé avec sudo, et personne ne peut indiquer pour quel compte.",
        hint: "Utilisez --user \(user) ou --user root.")
    case .accountNotTaken(let name):
      FailureText(
        "Ce processus ne peut pas s’exécuter en tant que \(name).",
        hint: "Connectez-vous en tant que \(name), puis lancez mfa-enroll.")
    case .processNotProtected:
      FailureText(
        "Ce processus ne peut pas être protégé contre vos autres programmes.",
        hint: "Lancez mfa-enroll là où prctl(2) est autorisé.")
    case .usage(let problem):
      FailureText(
        "La commande n’a pas été comprise\u{a0}: \(problem)",
        hint: "Pour voir l’aide\u{a0}: mfa-enroll --help")
    case .unknownCommand(let name, let meant?):
      FailureText(
        "La commande «\u{a0}\(name)\u{a0}» n’existe pas.",
        hint: "Vouliez-vous dire mfa-enroll \(meant)\u{a0}?")
    case .unknownCommand(let name, nil):
      FailureText(
        "La commande «\u{a0}\(name)\u{a0}» n’existe pas.",
        hint: "Pour voir toutes les commandes\u{a0}: mfa-enroll --help")
    case .noCode:
      FailureText("Aucun code n’a été saisi. Rien n’a été modifié.", hint: "Recommencez.")
    case .nothingAdded:
      FailureText(EnrollMessage.nothingAdded.french, hint: "Recommencez\u{a0}: mfa-enroll")
    case .nothingRemoved:
      FailureText(
        "Rien n’a été supprimé.",
        hint: "Pour supprimer l’appareil, répondez «\u{a0}o\u{a0}» ou utilisez --yes.")
    case .noSuchDevice(let name):
      FailureText(
        "Vous n’avez pas d’appareil «\u{a0}\(name)\u{a0}».",
        hint: "Pour voir vos appareils\u{a0}: mfa-enroll list")
    case .ambiguousID(let id):
      FailureText(
        "Plusieurs ID commencent par «\u{a0}\(id)\u{a0}».",
        hint: "Saisissez davantage de caractères, ou utilisez le nom.")
    case .noDevice:
      FailureText("Vous n’avez pas encore d’appareil.", hint: "Ajoutez-en un\u{a0}: mfa-enroll")
    case .severalDevices:
      FailureText(
        "Vous avez plusieurs appareils.",
        hint: "Indiquez lequel. Pour voir vos appareils\u{a0}: mfa-enroll list")
    case .recoveryCodesNotSaved(let path):
      FailureText(
        "Les codes de récupération sont valables, mais n’ont pas pu être enregistrés dans \(path).",
        hint: """
          Recopiez-les depuis l’écran, ou libérez de l’espace et relancez \
          mfa-enroll recovery-codes --new.
          """)
    case .recoveryCodesNotPrinted:
      FailureText(
        "Les codes de récupération sont valables, mais n’ont pas pu être imprimés.",
        hint: "Recopiez-les depuis l’écran, ou relancez mfa-enroll recovery-codes --new.")
    case .noPrinter:
      FailureText(
        "Cet hôte n’a pas de programme d’impression (lpr ou lp).",
        hint: "Enregistrez les codes avec --save FICHIER, ou recopiez-les depuis l’écran.")
    case .noOfflineCodes:
      FailureText(
        "Aucun code de récupération hors ligne n’est accepté pour vous ici.",
        hint: """
          Demandez à votre administrateur le nom d’un groupe d’hôtes, et indiquez-le\u{a0}: mfa-enroll offline-codes --hosts GROUPE
          """)
    case .noHomeFolder:
      FailureText(
        "HOME n’indique pas votre dossier personnel.", hint: "Indiquez le fichier à importer.")
    case .fileNotOpened(let path, let reason):
      FailureText(
        "Impossible d’ouvrir \(path) (\(reason)).", hint: "Indiquez le fichier à importer.")
    case .notAFile(let path):
      FailureText("\(path) n’est pas un fichier.", hint: "Indiquez le fichier à importer.")
    case .writableByOthers(let path):
      FailureText(
        "D’autres utilisateurs ont pu modifier \(path).",
        hint: "Ajoutez un appareil avec une nouvelle clé\u{a0}: mfa-enroll")
    case .fileNotRead(let path):
      FailureText("Impossible de lire \(path).", hint: "Indiquez le fichier à importer.")
    case .importRefused(let reason):
      FailureText(
        "Impossible d’importer le fichier\u{a0}: \(reason).",
        hint: """
          Rien n’a été modifié. Ajoutez un appareil avec une nouvelle clé\u{a0}: mfa-enroll
          """)
    case .fileNotPrivate(let path):
      FailureText(
        "D’autres utilisateurs pourraient lire \(path).",
        hint: """
          Indiquez un fichier sur un disque qui gère les propriétaires et les permissions, par \
          exemple dans votre dossier personnel.
          """)
    case .fileExists(let path):
      FailureText(
        "\(path) existe déjà.", hint: "Indiquez un autre fichier, ou supprimez celui-ci.")
    case .folderMissing(let path):
      FailureText(
        "Le dossier de \(path) n’existe pas.", hint: "Créez-le, ou indiquez un autre fichier.")
    case .noPermission(let path):
      FailureText(
        "Vous n’avez pas le droit de créer \(path).",
        hint: "Indiquez un fichier dans un dossier qui vous appartient.")
    case .fileNotCreated(let path, let reason):
      FailureText(
        "Impossible de créer \(path) (\(reason)).", hint: "Indiquez un autre fichier.")
    case .fileNotWritten(let path, let reason):
      FailureText(
        "Impossible d’écrire dans \(path) (\(reason)). Aucun appareil n’a été ajouté.",
        hint: "Libérez-y de l’espace, ou indiquez un autre fichier.")
    case .noPicture(let obstacle):
      FailureText(obstacle.french, hint: "Sans --qr, la clé est affichée sous forme de texte.")
    }
  }
}
