extension Configuration.Key {
  /// What administrators read about a key that concerns phones.
  var phoneDocumentation: KeyDocumentation {
    switch self {
    case .factors:
      KeyDocumentation(
        "The types of factors that users may enrol and use: one, or both with a comma between them.",
        words: [
          ("totp", "Codes of an authenticator app. They also include imported keys."),
          (
            "phone",
            """
            Codes that are sent to a phone. NIST SP 800-63B-4 restricts them: an attacker can take
            over a number. They need `gateway` and `regions`.
            """
          ),
        ],
        details: """
          A factor of another type stays enrolled, but its codes are not accepted. If it is unknown
          whether a tenant matches, only the types that both settings have in common are accepted.
          Recovery codes and bypass codes are accepted in every case.
          """)
    case .gateway:
      KeyDocumentation(
        """
        The program that sends codes to phones, as an absolute path: one of
        `/usr/lib/mfa/gateways`, or your own. See `mfa-gateway`(7). It has no effect unless
        `regions` is set.
        """,
        details: """
          The program and every directory above it must belong to root, and no other user may write
          to them. It runs as the user `mfa-gateway`.
          """,
        without: ("No code is sent.", "/usr/lib/mfa/gateways/gammu-smsd"))
    case .regions:
      KeyDocumentation(
        """
        The phone numbers to which codes may be sent, by the calling codes that they begin with. Up
        to four further digits can follow a calling code: `+447` allows only mobile numbers of the
        United Kingdom. List only regions where your users are: attackers earn money with messages
        to expensive numbers. It has no effect unless `gateway` is set.
        """,
        without: ("No number is allowed.", "+33, +81"))
    case .phoneTestNumbers:
      KeyDocumentation(
        """
        Phone numbers for tests, with the code that each of them accepts. No message is sent to
        them, and `regions` does not apply. All users can read this file: with a test number, the
        second factor protects nothing. `mfa-admin doctor` warns about them. A number counts as a test
        number only for users who enrolled it as one: any other user who has it gets no code.
        """,
        without: ("No number is a test number.", "+15105551234=123456"))
    case .phoneWaitingTime:
      KeyDocumentation(
        """
        How long a phone number that replaces another one cannot be used to sign in, so that the
        user can react to the notice. It can be used at once if the user proved, with a code of an
        authenticator app or with a recovery code that is at least as old as this time, that the
        account is theirs.
        """)
    case .phoneInterval:
      KeyDocumentation("The minimum time between two codes that are sent to the same user.")
    case .phonePerTenMinutes:
      KeyDocumentation("The number of codes that are sent to the same user in 10 minutes.")
    case .phonePerDay:
      KeyDocumentation("The number of codes that are sent to the same user in 24 hours.")
    case .phoneNumberHourly:
      KeyDocumentation(
        """
        The number of codes that are sent to the same phone number in an hour, for all users
        together. At most half of them can be codes that confirm a new number, because every user
        can request these for every number.
        """)
    case .phoneHostDaily:
      KeyDocumentation(
        """
        The number of codes that this host sends in 24 hours. When it is reached, users need
        another factor until the oldest code is a day old.
        """)
    default:
      KeyDocumentation(
        """
        The percentage of sent codes that users must type. If fewer of the last 20 codes that are
        older than 10 minutes were typed, no code is sent until an hour has passed since the last
        one, or until root runs `mfa-admin phone resume`. At most four of these codes are those of
        one user. Codes that confirm a new number are looked at separately. With 0, this is not
        checked.
        """)
    }
  }
}
