import MFAMessages

extension EnrollMessage {
  /// The text in French.
  package var french: MessageText {
    switch self {
    case .account(let user, let host): "Compte\u{a0}: \(user) sur \(host)"
    case .enrollmentOpening(1):
      """
      Préparez votre téléphone, avec une application d’authentification. Vous avez 1 minute.
      """
    case .enrollmentOpening(let minutes):
      """
      Préparez votre téléphone, avec une application d’authentification. Vous avez \(minutes) \
      minutes.
      """
    case .accountChoice(let user, let root):
      "Vous avez utilisé sudo. Pour quel compte, \(user) ou \(root)\u{a0}? "
    case .accountChoiceAgain(let user, let root): "Saisissez \(user) ou \(root)\u{a0}: "
    case .errorLabel: "erreur\u{a0}:"
    case .hintLabel: "conseil\u{a0}:"
    case .warningLabel: "attention\u{a0}:"
    case .nameLabel: "Nom\u{a0}:"
    case .keyLabel: "Clé\u{a0}:"
    case .urlLabel: "URL\u{a0}:"
    case .scanOrShowKey:
      "Scannez ceci avec l’application, ou tapez k pour la clé."
    case .retryOrShowKey(let status): "\(status) Réessayez, ou tapez k pour la clé."
    case .showKey(let status): "\(status) Tapez k pour la clé."
    case .typeKeyOrOpenURL:
      "Saisissez cette clé dans votre application d’authentification, ou ouvrez-y l’URL\u{a0}:"
    case .showPicture: "Tapez k pour le code QR."
    case .scanPicture:
      """
      Scannez le code QR avec votre application d’authentification, ou saisissez-y la clé.
      """
    case .scanPictureFile(let path):
      """
      Scannez le code QR du fichier \(path) avec votre application d’authentification, ou \
      saisissez-y la clé.
      """
    case .typeKey: "Saisissez la clé dans votre application d’authentification."
    case .keyParameters(let algorithm, let digits, let seconds):
      """
      Si vous saisissez la clé, choisissez \(algorithm), \(digits) chiffres et \(seconds) secondes.
      """
    case .noPicture(.windowTooSmall(let columns, let lines)):
      """
      Fenêtre trop petite pour un code QR\u{a0}: agrandissez-la à \(columns)x\(lines), ou \
      saisissez la clé ci-dessus.
      """
    case .noPicture(.localeNotUTF8):
      """
      Les paramètres régionaux ne sont pas en UTF-8\u{a0}: un code QR ne peut pas être affiché. \
      Saisissez la clé ci-dessus, ou lancez\u{a0}: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .noPicture(let obstacle): "\(obstacle.french) Saisissez la clé ci-dessus."
    case .passwordPrompt: "Mot de passe\u{a0}: "
    case .codePrompt: "Code de l’application\u{a0}: "
    case .phoneOpening(1): "Préparez votre téléphone. Vous avez 1 minute."
    case .phoneOpening(let minutes): "Préparez votre téléphone. Vous avez \(minutes) minutes."
    case .phoneNumberPrompt: "Numéro de téléphone, par exemple +33612345678\u{a0}: "
    case .sentCodePrompt: "Code du message (s\u{a0}: en envoyer un autre)\u{a0}: "
    case .codeSentToPhone:
      "Un code a été envoyé à votre téléphone. Il est valable 10 minutes."
    case .wrongSentCode: "Code incorrect. Réessayez."
    case .sentCodeExpired: "Ce code n’est plus accepté. Tapez s pour en recevoir un autre."
    case .nextCodeLater(1):
      "Aucun code n’a été envoyé. Vous pourrez en demander un autre dans 1 seconde."
    case .nextCodeLater(let seconds):
      "Aucun code n’a été envoyé. Vous pourrez en demander un autre dans \(seconds) secondes."
    case .namePrompt(let proposed): "Nom de cet appareil [\(proposed)]\u{a0}: "
    case .enrolled(let name):
      """
      «\u{a0}\(name)\u{a0}» a été ajouté. Le code que vous avez saisi n’est plus utilisable.
      """
    case .nothingAdded: "Rien n’a été ajouté."
    case .tryNow(let command):
      "Terminé. Essayez tout de suite, dans une autre fenêtre\u{a0}: \(command)"
    case .pictureHoldsKey(let path):
      "\(path) contient votre clé. Supprimez ce fichier après l’avoir scanné."
    case .pictureNotRemoved(let path): "\(path) n’a pas pu être supprimé. Supprimez-le."
    case .recoverySheetHeading(let user, let host, let date):
      "Codes de récupération de \(user) sur \(host), créés le \(date)"
    case .recoverySheetAdvice(replacesOlder: true):
      """
      Chaque code permet une connexion si vous n’avez pas votre appareil. Les codes plus anciens \
      ne fonctionnent plus. Conservez cette feuille loin de votre appareil.
      """
    case .recoverySheetAdvice(replacesOlder: false):
      """
      Chaque code permet une connexion si vous n’avez pas votre appareil. Conservez cette feuille \
      loin de votre appareil.
      """
    case .offlineSheetAdvice:
      """
      Chaque code permet une connexion sur chaque hôte du groupe tant que les serveurs du second \
      facteur sont injoignables. Les anciens codes pour ces hôtes ne fonctionnent plus. Connectez-vous \
      une fois sur un hôte avec votre appareil avant d’y avoir besoin d’un code. Conservez cette \
      feuille loin de votre appareil.
      """
    case .recoveryCodesShownOnce: "Ces codes ne seront plus affichés."
    case .recoveryCodesSaved(let path): "Vos codes de récupération sont enregistrés dans \(path)."
    case .recoveryCodesPrinted: "Vos codes de récupération ont été envoyés à l’imprimante."
    case .recoveryCodesNotMade: "Aucun code de récupération n’a été créé."
    case .recoveryCodesLeft(0): "Il ne reste aucun code de récupération."
    case .recoveryCodesLeft(1): "Il reste 1 code de récupération."
    case .recoveryCodesLeft(let count): "Il reste \(count) codes de récupération."
    case .makeRecoveryCodes: "Créez-en de nouveaux\u{a0}: mfa-enroll recovery-codes --new"
    case .recoveryCodesImported(1): "1 code de récupération a été importé. Il est court."
    case .recoveryCodesImported(let count):
      "\(count) codes de récupération ont été importés. Ils sont courts."
    case .columnID: "ID"
    case .columnAdded: "AJOUTÉ LE"
    case .columnCodes: "CODES"
    case .columnName: "NOM"
    case .codes(let algorithm, let digits, let seconds):
      "\(algorithm), \(digits) chiffres, \(seconds) s"
    case .noDevices(let user): "\(user) n’a pas encore d’appareil."
    case .addDevice: "Ajoutez-en un\u{a0}: mfa-enroll"
    case .renamed(let old, let new):
      "«\u{a0}\(old)\u{a0}» s’appelle maintenant «\u{a0}\(new)\u{a0}»."
    case .removeQuestion(let name): "Supprimer «\u{a0}\(name)\u{a0}»\u{a0}? [o/N] "
    case .removeOnly:
      "C’est votre seul appareil. Sans lui, vous n’avez aucun code pour vous connecter."
    case .removed(let name): "«\u{a0}\(name)\u{a0}» a été supprimé."
    case .newestRemoved:
      """
      C’était votre appareil le plus récent. Votre prochaine connexion se fera sans ses codes.
      """
    case .onlyRemoved(anotherIsExpected: false):
      """
      C’était votre seul appareil. Aucun code ne sera demandé à votre prochaine connexion.
      """
    case .onlyRemoved(anotherIsExpected: true):
      "C’était votre seul appareil. Cet hôte vous demande d’en ajouter un autre."
    case .recoveryCodesVoid: "Vos codes de récupération ne fonctionnent plus."
    case .otherSessionsContinue:
      "Vos autres sessions sur cet hôte restent ouvertes. Fermez-les vous-même."
    case .otherSessionsEnded(1): "1 autre session sur cet hôte a été fermée."
    case .otherSessionsEnded(let count): "\(count) autres sessions sur cet hôte ont été fermées."
    case .otherSessionsNotEnded(1):
      "1 autre session n’a pas pu être fermée. Fermez-la vous-même."
    case .otherSessionsNotEnded(let count):
      "\(count) autres sessions n’ont pas pu être fermées. Fermez-les vous-même."
    case .resyncOpening:
      """
      Si un code d’un autre appareil vous est demandé et que vous n’en avez pas, appuyez sur Entrée.
      """
    case .nextCodePrompt: "Le code suivant, dès que l’application l’affiche\u{a0}: "
    case .resynced(let name):
      """
      L’horloge de «\u{a0}\(name)\u{a0}» a été corrigée. Les deux codes ne sont plus utilisables.
      """
    case .testedCode: "Code correct. Il n’est plus utilisable."
    case .testedRecoveryCode:
      """
      Code correct. C’est l’un de vos codes de récupération. Il n’a pas été utilisé et reste \
      valable.
      """
    case .testedBypassCode:
      "Code correct. C’est un code de dépannage. Il n’a pas été utilisé et reste valable."
    case .rememberedSignInsCleared(0): "Aucune connexion n’était mémorisée."
    case .rememberedSignInsCleared(1):
      """
      La connexion depuis 1 emplacement n’est plus mémorisée. Un code sera demandé à la prochaine \
      connexion.
      """
    case .rememberedSignInsCleared(let count):
      """
      Les connexions depuis \(count) emplacements ne sont plus mémorisées. Un code sera demandé à \
      la prochaine connexion.
      """
    case .imported(let name):
      "«\u{a0}\(name)\u{a0}» a été ajouté, avec la clé que votre application connaît déjà."
    case .importedFileHoldsKey(let path): "\(path) contient encore la clé. Supprimez ce fichier."
    case .importWarning(let warning): warning.french
    }
  }
}

extension PictureObstacle {
  var french: MessageText {
    switch self {
    case .notATerminal: "Un code QR ne peut être affiché que dans un terminal."
    case .unknownTerminal: "Ce terminal n’est peut-être pas capable d’afficher un code QR (TERM)."
    case .localeNotUTF8:
      """
      Les paramètres régionaux ne sont pas en UTF-8\u{a0}: un code QR ne peut pas être affiché. \
      Pour le voir\u{a0}: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .windowTooSmall(let columns, let lines):
      """
      Fenêtre trop petite pour un code QR\u{a0}: agrandissez-la à \(columns)x\(lines).
      """
    case .urlTooLong: "L’URL est trop longue pour un code QR."
    case .outOfMemory: "Il n’y a pas assez de mémoire pour un code QR."
    case .libraryMissing(let name, let package):
      "Un code QR nécessite la bibliothèque \(name) (paquet Debian \(package))."
    }
  }
}

extension ImportWarningMessage {
  var french: MessageText {
    switch self {
    case .weakKey(let bits):
      """
      La clé n’a que \(bits) bits, moins de 128. Ajoutez sans tarder un appareil avec une \
      nouvelle clé\u{a0}: mfa-enroll
      """
    case .fewerCodesAccepted(let steps, let accepted):
      """
      L’autre programme acceptait des codes en avance ou en retard de \(steps) intervalles au \
      plus. Ici, le maximum est de \(accepted). Vérifiez l’heure de l’appareil.
      """
    case .clockOffset(let steps):
      """
      L’autre programme considérait que l’horloge de l’appareil était décalée (avance en \
      intervalles\u{a0}: \(steps)), ce qu’une autre personne a pu provoquer. Vérifiez l’heure. Si \
      elle est juste, ajoutez de nouveau l’appareil\u{a0}: mfa-enroll
      """
    case .clockMeasurementDropped:
      """
      Des codes correspondant à une autre heure ont été reçus récemment. Ils sont sans effet ici. \
      Vérifiez l’heure de l’appareil.
      """
    case .gracePeriodDropped:
      """
      L’autre programme permettait de se connecter sans code après une connexion récente. \
      Celui-ci ne le permet pas.
      """
    case .rateLimitDropped:
      "La limite de connexions de l’autre programme est remplacée par celle de cet hôte."
    case .reuseWasAllowed:
      "L’autre programme acceptait plusieurs fois le même code. Celui-ci ne l’accepte pas."
    case .lastCodeNotFound:
      """
      Le dernier code ne correspond pas à son heure. Tous les codes possibles sont considérés \
      comme utilisés.
      """
    case .passwordDropped:
      """
      Le mot de passe du fichier n’est pas importé. Utilisez le mot de passe de votre compte.
      """
    case .weakRecoveryCodes(1):
      "1 code de récupération importé est court (26 bits). Remplacez-le."
    case .weakRecoveryCodes(let count):
      "\(count) codes de récupération importés sont courts (26 bits). Remplacez-les."
    case .unreachableRecoveryCodes(let line, let count):
      """
      La ligne \(line) n’est ni une option ni un code de récupération\u{a0}: les codes de \
      récupération suivants n’ont jamais fonctionné. Non importés\u{a0}: \(count).
      """
    case .recoveryCodesDropped(let count):
      """
      Il y a plus de codes de récupération qu’un compte ne peut en avoir. Non importés\u{a0}: \
      \(count).
      """
    }
  }
}
