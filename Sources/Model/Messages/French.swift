// French. Users are addressed as "vous". A no-break space stands before the characters that French
// separates from the word before them.

extension SignInMessage {
  var french: MessageText {
    switch self {
    case .codePrompt: "Code à usage unique\u{a0}: "
    case .breakGlassPrompt:
      "Le stockage des seconds facteurs est inutilisable. Code d’urgence\u{a0}: "
    case .passwordAndCodePrompt: "Mot de passe suivi du code à usage unique\u{a0}: "
    case .codeOrNumberPrompt: "Code à usage unique, ou numéro d’un appareil\u{a0}: "
    case .deviceList: "Vos appareils\u{a0}:"
    case .codeOfDevicePrompt(let name):
      "Code à usage unique de «\u{a0}\(name)\u{a0}»\u{a0}: "
    case .codeOrSendPrompt(let number):
      "Code à usage unique (s\u{a0}: envoi au \(number))\u{a0}: "
    case .codeOrSendChoicePrompt: "Code à usage unique, ou s1, s2, etc. pour en recevoir un\u{a0}: "
    case .codeSent(let number): "Un code a été envoyé au \(number). Il est valable 10 minutes."
    case .codeNotSent:
      """
      Aucun code n’a pu être envoyé. Utilisez un autre appareil ou un code de récupération, ou \
      contactez votre administrateur.
      """
    case .codeNotSentYet(let seconds):
      """
      Aucun code n’a été envoyé. Vous pourrez en demander un dans \
      \(WrittenDuration(seconds: seconds).french).
      """
    case .phoneNotUsableYet(let seconds):
      """
      Aucun code n’a été envoyé. Le numéro a été ajouté récemment et sera utilisable dans \
      \(WrittenDuration(seconds: seconds).french).
      """
    case .wrongCode: "Code incorrect."
    case .wrongCodeTryAgain: "Code incorrect. Réessayez."
    case .usedCode: "Ce code a déjà été utilisé. Utilisez le suivant."
    case .throttled(let seconds):
      """
      Trop de codes incorrects. Réessayez dans \(WrittenDuration(seconds: seconds).french).
      """
    case .locked:
      """
      Trop de codes incorrects. Vos appareils sont verrouillés. Demandez à un administrateur de \
      les déverrouiller.
      """
    case .lockedUntilRecoveryCode:
      """
      Trop de codes incorrects. Vos appareils sont verrouillés. Connectez-vous avec un code de \
      récupération, ou demandez à un administrateur de les déverrouiller.
      """
    case .notACode:
      """
      Ce n’est pas un code. Saisissez les chiffres affichés par votre application \
      d’authentification.
      """
    case .noSuchDevice: "Aucun appareil ne porte ce numéro."
    case .breakGlassAccepted:
      """
      Code d’urgence accepté, car le stockage des seconds facteurs est inutilisable. Cherchez-en \
      la cause\u{a0}: sudo mfa-admin doctor
      """
    case .unavailable:
      """
      La connexion est impossible à cause d’un problème du serveur, et non de votre code. \
      Contactez votre administrateur.
      """
    case .tooManyOpenSignIns:
      "Trop de vos connexions attendent une réponse. Terminez-en d’abord une."
    case .recoveryCodeAccepted(0, _):
      """
      Code de récupération accepté. C’était le dernier. Créez-en de nouveaux\u{a0}: \
      mfa-enroll recovery-codes --new
      """
    case .recoveryCodeAccepted(let left, false):
      "Code de récupération accepté. \(Self.frenchLeft(left))"
    case .recoveryCodeAccepted(let left, true):
      """
      Code de récupération accepté. \(Self.frenchLeft(left)) Créez-en de nouveaux\u{a0}: \
      mfa-enroll recovery-codes --new
      """
    case .clockMayBeWrong:
      """
      Un code précédent était correct, mais pour un autre moment. L’heure de votre téléphone ou \
      de cet hôte est peut-être incorrecte.
      """
    case .bypassCodeAccepted(0):
      """
      Code de dépannage accepté. Il n’est plus utilisable. Ajoutez un appareil maintenant\u{a0}: \
      mfa-enroll
      """
    case .bypassCodeAccepted(1):
      """
      Code de dépannage accepté. Il est encore utilisable une fois. Ajoutez un appareil\u{a0}: \
      mfa-enroll
      """
    case .bypassCodeAccepted(let uses):
      """
      Code de dépannage accepté. Il est encore utilisable \(uses) fois. Ajoutez un \
      appareil\u{a0}: mfa-enroll
      """
    case .enrollmentOffered(let signIns, let lastDay):
      "Protégez votre compte avec une application d’authentification\u{a0}: mfa-enroll"
        + Self.frenchLimit(signIns, lastDay)
    case .enrollmentNotPossible:
      """
      Cet hôte exige un code d’une application d’authentification, et vous n’en avez pas encore \
      ajouté. Demandez un ticket d’enregistrement à un administrateur, puis lancez \
      mfa-enroll --ticket.
      """
    case .enrollmentNeedsQuestions:
      """
      Cet hôte exige un code d’une application d’authentification, et vous n’en avez pas encore \
      ajouté. Connectez-vous là où des questions peuvent être posées (avec ssh\u{a0}: \
      keyboard-interactive), ou demandez un ticket d’enregistrement à un administrateur et lancez \
      mfa-enroll --ticket.
      """
    case .enrollmentAbandoned:
      """
      Aucun appareil n’a été ajouté. Reconnectez-vous avec une application d’authentification à \
      portée de main.
      """
    case .enrollmentWrongCodes:
      """
      Trop de codes incorrects. Aucun appareil n’a été ajouté. Vérifiez l’heure de votre \
      téléphone, puis reconnectez-vous.
      """
    case .enrollmentTooLate:
      "Le délai est dépassé. Aucun appareil n’a été ajouté. Reconnectez-vous."
    case .enrollmentTooLittleTime(let seconds):
      """
      Il ne reste que \(WrittenDuration(seconds: seconds).french), trop peu pour ajouter un \
      appareil. Aucun appareil n’a été ajouté. Reconnectez-vous, sans attendre.
      """
    case .enrolledMeanwhile:
      "Un appareil a été ajouté entre-temps à votre compte. Reconnectez-vous avec son code."
    case .noticeConfirmation: "Saisissez yes si vous avez lu ce message\u{a0}: "
    case .howToReadNotices:
      "Ces notifications s’affichent jusqu’à ce que vous lanciez mfa-enroll notices."
    case .noticesStay:
      """
      Ces notifications s’affichent jusqu’à ce que vous vous connectiez avec un appareil que vous \
      aviez déjà.
      """
    case .noticesUnconfirmed:
      """
      Ces notifications s’affichent jusqu’à ce que vous les confirmiez par yes lors d’une connexion.
      """
    }
  }

  private static func frenchLeft(_ count: Int64) -> MessageText {
    switch count {
    case 0: "Il n’en reste aucun."
    case 1: "Il en reste 1."
    default: "Il en reste \(count)."
    }
  }

  private static func frenchLimit(_ signIns: Int64?, _ lastDay: [UInt8]?) -> MessageText {
    let count: MessageText? =
      switch signIns {
      case nil: nil
      case 0: "dès votre prochaine connexion"
      case 1: "après 1 autre connexion"
      case let left?: "après \(left) autres connexions"
      }
    switch (count, lastDay) {
    case (nil, nil): return ""
    case (let count?, nil): return "\nElle devient obligatoire \(count)."
    case (nil, let day?): return "\nElle devient obligatoire après le \(day) (UTC)."
    case (let count?, let day?):
      return "\nElle devient obligatoire \(count), et au plus tard après le \(day) (UTC)."
    }
  }
}

extension NoticeMessage {
  var french: MessageText {
    switch self {
    case .failedCodes(1, let last):
      "Depuis votre dernière connexion, 1 code a été refusé\(last.french)."
    case .failedCodes(let count, let last) where last.isUnknown:
      "Depuis votre dernière connexion, \(count) codes ont été refusés."
    case .failedCodes(let count, let last):
      """
      Depuis votre dernière connexion, \(count) codes ont été refusés, le dernier\(last.french).
      """
    case .change(let change, let origin): "\(change.french)\(origin.french)."
    }
  }
}

extension NoticeMessage.Change {
  fileprivate var french: MessageText {
    switch self {
    case .enrolled(let name): "L’appareil «\u{a0}\(name)\u{a0}» a été ajouté"
    case .imported(let name):
      "L’appareil «\u{a0}\(name)\u{a0}» a été importé d’un autre programme"
    case .unenrolled(let name): "L’appareil «\u{a0}\(name)\u{a0}» a été supprimé"
    case .recoveryCodeUsed: "Un code de récupération a été utilisé"
    case .recoveryCodesMade: "De nouveaux codes de récupération ont été créés"
    case .ticketMade(let reason):
      "Un ticket d’enregistrement a été créé\(Self.french(reason))"
    case .enrolledWithTicket(let name):
      "L’appareil «\u{a0}\(name)\u{a0}» a été ajouté au moyen d’un ticket"
    case .bypassCodeMade(let reason): "Un code de dépannage a été créé\(Self.french(reason))"
    case .bypassCodeUsed(let reason): "Un code de dépannage a été utilisé\(Self.french(reason))"
    case .resynchronized(let name):
      "L’horloge de l’appareil «\u{a0}\(name)\u{a0}» a été corrigée"
    case .revoked: "Un administrateur a supprimé tous vos appareils"
    case .unlockedByRecoveryCode:
      "Un code de récupération a été utilisé et a déverrouillé vos appareils"
    }
  }

  private static func french(_ reason: [UInt8]) -> MessageText {
    reason.isEmpty ? "" : " («\u{a0}\(reason)\u{a0}»)"
  }
}

extension NoticeOrigin {
  fileprivate var french: MessageText {
    (source.isEmpty ? "" : " depuis \(source)") + (time.isEmpty ? "" : " le \(time)")
  }
}

extension HelperMessage {
  var french: MessageText {
    switch self {
    case .ticketPrompt: "Ticket d’enregistrement\u{a0}: "
    case .enrolledDevicePrompt: "Code d’un appareil déjà ajouté\u{a0}: "
    case .enrolledDeviceOrSendPrompt(let number):
      "Code d’un appareil déjà ajouté (s\u{a0}: envoi au \(number))\u{a0}: "
    case .enrolledDeviceOrSendChoicePrompt:
      "Code d’un appareil déjà ajouté, ou s1, s2, etc. pour en recevoir un\u{a0}: "
    case .phoneIsRestricted:
      """
      Les codes reçus par SMS sont moins sûrs que ceux d’une application d’authentification\u{a0}: \
      une autre personne peut s’emparer de votre numéro ou lire vos messages. Si possible, utilisez \
      une application d’authentification.
      """
    case .phoneUsableLater(let seconds):
      """
      Pour protéger votre compte, aucun code ne sera envoyé à ce nouveau numéro avant \
      \(WrittenDuration(seconds: seconds).french). D’ici là, utilisez un autre appareil ou un \
      code de récupération.
      """
    case .noNotices: "Vous n’avez aucune notification."
    case .authenticatorAppName: "Application d’authentification"
    case .phoneName: "Téléphone"
    }
  }
}

extension MailMessage {
  var french: MessageText {
    switch self {
    case .subject(let user, let host): "Sécurité de connexion du compte \(user) sur \(host)"
    case .introduction(let user, let host):
      "Modifications du compte \(user) sur \(host)\u{a0}:"
    case .advice:
      """
      Si vous n’en êtes pas l’auteur, prévenez immédiatement un administrateur\u{a0}: une autre
      personne est peut-être en mesure de se connecter à votre place. La commande
      mfa-enroll list affiche vos appareils.
      """
    }
  }
}

extension FailureMessage {
  var french: FailureText {
    switch self {
    case .notPermitted:
      FailureText(
        "Ce compte n’a pas le droit de faire cela.", hint: "Adressez-vous à un administrateur.")
    case .requiresRecentLogin:
      FailureText(
        "Vous n’avez pas encore prouvé que ce compte est le vôtre.", hint: "Recommencez.")
    case .tooManyPasswords(let seconds):
      FailureText(
        "Trop de mots de passe incorrects.",
        hint: "Réessayez dans \(WrittenDuration(seconds: seconds).french).")
    case .accountLocked:
      FailureText(
        "Ce compte est verrouillé après trop de mots de passe incorrects.",
        hint: "Réessayez plus tard, ou demandez à un administrateur de le déverrouiller.")
    case .accountExpired:
      FailureText("Ce compte a expiré.", hint: "Adressez-vous à un administrateur.")
    case .passwordExpired:
      FailureText(
        "Votre mot de passe a expiré.", hint: "Changez-le avec passwd, puis recommencez.")
    case .noSignIns:
      FailureText(
        "Personne ne peut se connecter à cet hôte pour le moment.", hint: "Réessayez plus tard.")
    case .accountNotAllowed:
      FailureText(
        "Ce compte ne peut pas être utilisé ici pour le moment.",
        hint: "Adressez-vous à un administrateur.")
    case .wrongPassword:
      FailureText(
        "Mot de passe incorrect.",
        hint: "Réessayez avec le mot de passe qui vous sert à vous connecter ici.")
    case .sessionExpired: FailureText("Le délai est dépassé.", hint: "Recommencez.")
    case .wrongCode:
      FailureText(
        "Code incorrect.",
        hint: """
          Saisissez le code que l’application affiche maintenant. S’il est encore refusé, vérifiez \
          l’heure de votre téléphone et celle de cet hôte.
          """)
    case .usedCode:
      FailureText(
        "Ce code a déjà été utilisé.", hint: "Attendez que l’application affiche le suivant.")
    case .notACode:
      FailureText(
        "Ce n’est pas un code.",
        hint: "Saisissez les 6 à 8 chiffres affichés par l’application.")
    case .throttled(let seconds):
      FailureText(
        "Trop de codes incorrects.",
        hint: "Réessayez dans \(WrittenDuration(seconds: seconds).french).")
    case .locked:
      FailureText(
        "Trop de codes incorrects. Vos appareils sont verrouillés.",
        hint: "Demandez à un administrateur de les déverrouiller (mfa-admin unlock).")
    case .nameTaken:
      FailureText("Vous avez déjà un appareil de ce nom.", hint: "Choisissez un autre nom.")
    case .tooManyDevices:
      FailureText(
        "Vous avez atteint le nombre maximal d’appareils.",
        hint: "Supprimez-en un que vous n’utilisez plus\u{a0}: mfa-enroll unenroll")
    case .unsupportedName:
      FailureText(
        "Un appareil ne peut pas porter ce nom.", hint: "Utilisez 1 à 64 caractères visibles.")
    case .noSuchDevice:
      FailureText(
        "Vous n’avez pas d’appareil de ce nom.",
        hint: "Pour voir vos appareils\u{a0}: mfa-enroll list")
    case .unsupportedValue:
      FailureText(
        "Cet hôte ne prend pas en charge l’une des valeurs choisies.",
        hint: "Utilisez l’algorithme, le nombre de chiffres et la période habituels.")
    case .storeUnavailable:
      FailureText(
        """
        Les données de vos appareils ne peuvent être ni lues ni enregistrées à cause d’un problème \
        du serveur.
        """,
        hint: """
          Contactez votre administrateur. Le journal du système en donne la raison (authpriv).
          """)
    case .configurationInvalid:
      FailureText(
        "La configuration de cet hôte contient une erreur.",
        hint: """
          Contactez votre administrateur. Le journal du système en donne l’emplacement (authpriv).
          """)
    case .switchedOff:
      FailureText(
        "Cet hôte n’utilise pas de second facteur.", hint: "Vous vous connectez sans code.")
    case .internalError:
      FailureText(
        "Le programme auxiliaire a échoué. Rien n’a été modifié.",
        hint: """
          Contactez votre administrateur. Le journal du système en donne la raison (authpriv).
          """)
    case .lastDeviceRequired:
      FailureText(
        "C’est votre seul appareil, et cet hôte en exige un.",
        hint: "Ajoutez d’abord un autre appareil\u{a0}: mfa-enroll")
    case .invalidTicket:
      FailureText(
        "Ce ticket est incorrect, déjà utilisé ou expiré.",
        hint: "Vérifiez votre saisie, ou demandez un nouveau ticket à un administrateur.")
    case .shortKey:
      FailureText(
        "La clé est trop courte pour cet hôte.",
        hint: "Ajoutez un appareil avec une nouvelle clé\u{a0}: mfa-enroll")
    case .codesNotConsecutive:
      FailureText(
        "Les deux codes ne se suivent pas.",
        hint: """
          Saisissez le code affiché par l’application, attendez le suivant, puis saisissez-le.
          """)
    case .codeRequired:
      FailureText(
        "Cette opération exige un code d’un appareil que vous avez déjà ajouté.",
        hint: "Recommencez avec un code, ou avec un code de récupération.")
    case .alreadyImported:
      FailureText(
        "Vous avez déjà un appareil avec cette clé.",
        hint: "Pour voir vos appareils\u{a0}: mfa-enroll list")
    case .tooManyChanges(let minutes):
      FailureText(
        "Vous avez fait trop de modifications en une heure.",
        hint: "Réessayez dans \(WrittenDuration.minutes(minutes).french).")
    case .unsuitableProcess(let attribute):
      FailureText(
        """
        Le programme auxiliaire refuse un attribut de ce processus\u{a0}: \(attribute).
        """,
        hint: """
          Lancez mfa-enroll sans nice, chrt ni ulimit. Pour voir les limites\u{a0}: prlimit
          """)
    case .tooManyHelpers:
      FailureText(
        "Trop de vos programmes utilisent le programme auxiliaire en même temps.",
        hint: "Fermez-en quelques-uns, puis réessayez.")
    case .helperUnavailable(let path, let reason):
      FailureText(
        "Le programme auxiliaire \(path) ne peut pas démarrer (\(reason)).",
        hint: "Contactez votre administrateur. Il faut peut-être réinstaller le paquet.")
    case .helperEnded:
      FailureText(
        "Le programme auxiliaire s’est arrêté de façon inattendue.",
        hint: """
          Contactez votre administrateur. Le journal du système en donne la raison (authpriv).
          """)
    case .protocolError:
      FailureText(
        "Ce programme ne parvient pas à communiquer avec le programme auxiliaire.",
        hint: "Contactez votre administrateur. Le paquet n’est peut-être installé qu’en partie.")
    case .operationInProgress:
      FailureText(
        "Une autre opération n’est pas terminée.", hint: "Terminez-la ou annulez-la d’abord.")
    case .signedOut:
      FailureText("Vous avez supprimé votre appareil le plus récent.", hint: "Recommencez.")
    case .signInCodeRequired:
      FailureText(
        "Un code d’un de vos appareils est nécessaire.",
        hint: "Saisissez le code affiché par l’application, ou un code de récupération.")
    case .noAuthenticatorApp(let obstacle):
      FailureText(
        obstacle.french,
        hint: "Scannez le code QR avec votre téléphone, ou saisissez la clé dans l’application.")
    case .totpNotSupported:
      FailureText(
        "Cet hôte n’accepte pas les codes des applications d’authentification.",
        hint: "Ajoutez un téléphone\u{a0}: mfa-enroll phone")
    case .phonesNotSupported:
      FailureText(
        "Cet hôte n’envoie pas de codes aux téléphones.",
        hint: "Utilisez une application d’authentification\u{a0}: mfa-enroll")
    case .numberWithoutPlus:
      FailureText(
        "Le numéro de téléphone ne commence pas par le signe plus.",
        hint: "Saisissez d’abord + et l’indicatif du pays, par exemple +33612345678.")
    case .numberWithOtherCharacters:
      FailureText(
        "Le numéro de téléphone contient d’autres caractères que des chiffres.",
        hint: "Saisissez seulement + et des chiffres, par exemple +33612345678.")
    case .numberOfNoCountry:
      FailureText(
        "Le numéro de téléphone ne commence par aucun indicatif de pays.",
        hint: "Saisissez d’abord + et l’indicatif du pays, par exemple +33612345678.")
    case .numberTooShort:
      FailureText(
        "Le numéro de téléphone est trop court.",
        hint: "Saisissez le numéro entier avec l’indicatif du pays, par exemple +33612345678.")
    case .numberTooLong:
      FailureText(
        "Le numéro de téléphone est trop long.",
        hint: "Un numéro a au plus 15 chiffres avec l’indicatif du pays, par exemple +33612345678.")
    case .phoneRegionNotAllowed:
      FailureText(
        "Cet hôte n’envoie pas de codes aux numéros de ce pays.",
        hint: "Utilisez un autre numéro ou une application d’authentification\u{a0}: mfa-enroll")
    case .tooManyMessages(let seconds):
      FailureText(
        "Trop de codes ont été envoyés.",
        hint: "Demandez-en un autre dans \(WrittenDuration(seconds: seconds).french).")
    case .messageNotSent:
      FailureText(
        "Le code n’a pas pu être envoyé à cause d’un problème de l’hôte.",
        hint: """
          Utilisez un autre appareil ou réessayez plus tard. Si le problème persiste, contactez \
          votre administrateur.
          """)
    case .phoneAlreadyAdded:
      FailureText(
        "Vous avez déjà ajouté ce numéro de téléphone.",
        hint: "Pour voir vos appareils\u{a0}: mfa-enroll list")
    case .phoneNotUsableYet(let seconds):
      FailureText(
        "Ce numéro de téléphone a été ajouté récemment.",
        hint: """
          Des codes lui seront envoyés dans \(WrittenDuration(seconds: seconds).french). D’ici là, \
          utilisez un autre appareil.
          """)
    case .otherVerification:
      FailureText(
        "Ce code ne correspond pas à la dernière demande.",
        hint: "Demandez un nouveau code et utilisez celui-là.")
    }
  }
}

extension PhoneMessage {
  var french: MessageText {
    switch self {
    case .code(let issuer):
      " est votre code à usage unique pour \(issuer). Ne le communiquez à personne."
    case .enrollmentCode(let issuer):
      """
       est le code qui ajoute ce téléphone à votre compte \(issuer). Si vous ne l’avez pas demandé, \
      ignorez ce message.
      """
    case .phoneAdded(let issuer):
      """
      Un autre téléphone a été ajouté à votre compte \(issuer). Si ce n’est pas vous, prévenez un \
      administrateur immédiatement.
      """
    case .phoneRemoved(let issuer):
      """
      Ce téléphone a été retiré de votre compte \(issuer). Si ce n’est pas vous, prévenez un \
      administrateur immédiatement.
      """
    }
  }
}

extension WrittenDuration {
  var french: MessageText {
    switch self {
    case .seconds(0): "0 seconde"
    case .seconds(1): "1 seconde"
    case .seconds(let seconds): "\(seconds) secondes"
    case .minutes(1): "1 minute"
    case .minutes(let minutes): "\(minutes) minutes"
    case .hours(let hours): "\(hours) heures"
    }
  }
}

extension AuthenticatorAppObstacle {
  fileprivate var french: MessageText {
    switch self {
    case .noApp: "Aucune application de cet ordinateur n’ouvre les liens de configuration."
    case .appExposesKey:
      """
      L’application de cet ordinateur pour les liens \
      de configuration montrerait la clé aux autres utilisateurs.
      """
    case .appFailed:
      "L’application de cet ordinateur pour les liens de configuration n’a pas accepté le lien."
    case .noDesktop: "Il n’y a ici aucun bureau qui ouvre les liens de configuration."
    case .noLink: "Le texte n’est pas un lien de configuration."
    }
  }
}
