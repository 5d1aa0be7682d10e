/// A language with a catalogue.
struct CatalogueLanguage: Sendable {
  /// The name of the catalogue in packaging/po.
  let fileName: String
  /// The case of `Language` in MFAMessages.
  let name: String

  /// The languages, in the order of `Language`. The English texts are those of the template.
  static let all = [
    Self(fileName: "messages.pot", name: "english"),
    Self(fileName: "fr.po", name: "french"),
    Self(fileName: "es.po", name: "spanish"),
    Self(fileName: "ja.po", name: "japanese"),
    Self(fileName: "zh_TW.po", name: "traditionalChinese"),
  ]
}

/// Which of its plural forms a language uses for a number.
struct PluralRule: Sendable {
  /// The numbers of a form.
  enum Numbers: Sendable {
    /// This number alone.
    case only(Int)
    /// The numbers for which a Swift condition holds, with `n` for the number.
    case condition(String)
    /// All other numbers.
    case others
  }

  /// The line `Plural-Forms` in the header of a catalogue.
  let header: String
  /// The numbers of each form.
  let forms: [Numbers]

  /// The known rules. To add one, copy the header from another program's catalogue of the language
  /// or from the manual of gettext (https://www.gnu.org/software/gettext/manual, "Plural forms").
  static let all = [
    Self(header: "nplurals=1; plural=0;", forms: [.others]),
    Self(header: "nplurals=2; plural=(n != 1);", forms: [.only(1), .others]),
    Self(header: "nplurals=2; plural=(n > 1);", forms: [.condition("n == 0 || n == 1"), .others]),
  ]
}

/// The modules with messages, and the enumerations of each.
struct MessageModule: Sendable {
  let name: String
  /// The enumerations of whole messages, which get a function `text(in:)`.
  let messages: [String]
  /// The enumerations whose texts are inserted into messages.
  let parts: [String]

  /// All modules. A text in the catalogues that belongs to no enumeration is an error, and so is an
  /// enumeration without texts.
  static let all = [
    Self(
      name: "MFAMessages",
      messages: [
        "SignInMessage", "SignInEnrollmentMessage", "NoticeMessage", "OfflineMessage",
        "HelperMessage", "MailMessage", "PhoneMessage", "FailureMessage", "WrittenTime",
      ],
      parts: [
        "HelperMessage.OtherCode", "NoticeMessage.Change", "NoticeOrigin.Known",
        "AuthenticatorAppObstacle",
        "WrittenDuration", "WrittenMonth",
      ]),
    Self(
      name: "MFAEnrollMessages", messages: ["EnrollMessage", "EnrollFailure", "StatusMessage"],
      parts: ["PictureObstacle", "ImportWarningMessage", "UsageProblem"]),
  ]
}
