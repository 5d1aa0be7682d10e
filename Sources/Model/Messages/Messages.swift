// All text that users read, in every language.
//
// Each enumeration lists messages of one part of the product, with named values. Each language has one
// file (English.swift, French.swift, ...), which contains the text of every message: the compiler
// reports a message without a text. A text is a string literal in the program. No file is read, the
// locale of the process is not changed, and nothing in a text is interpreted as a format.
//
// Messages to administrators (mfa-admin, log lines) are in English and are not part of this target.
//
// MUST 1: a text contains neither control characters other than newlines nor deceptive characters,
// apart from the values that are inserted. (`CatalogueTests.characters`)
// MUST 2: a prompt, with the longest values, fits into a PAM message. (`CatalogueTests.lengths`)

extension SignInMessage {
  /// Returns the text in a language.
  @inline(never)
  package func text(in language: Language) -> MessageText {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}

extension NoticeMessage {
  /// Returns the text in a language.
  @inline(never)
  package func text(in language: Language) -> MessageText {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}

extension HelperMessage {
  /// Returns the text in a language.
  package func text(in language: Language) -> MessageText {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}

extension MailMessage {
  /// Returns the text in a language.
  package func text(in language: Language) -> MessageText {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}

extension FailureMessage {
  /// Returns what happened and what the user can do next, in a language.
  package func text(in language: Language) -> FailureText {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}

extension PhoneMessage {
  /// Returns the text in a language.
  package func text(in language: Language) -> MessageText {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}
