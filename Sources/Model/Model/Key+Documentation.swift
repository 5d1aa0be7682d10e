// The texts about each key. Only administration tools need them; a sign-in does not.

import MFABase

extension Configuration.Key {
  /// What administrators read about the key.
  package var documentation: KeyDocumentation {
    switch self {
    case .user:
      KeyDocumentation(
        "The system user that the program of a `[daemon NAME]` runs as.",
        without: ("The section is incomplete.", "freerad"))
    case .users:
      KeyDocumentation(
        "Names of accounts, in the spelling that the system uses.",
        without: ("The account does not matter.", "anna, bob"))
    case .groups:
      KeyDocumentation(
        "Names of groups that the account belongs to, as primary or supplementary group.",
        without: ("Groups do not matter.", "sudo, adm"))
    case .services:
      KeyDocumentation(
        "Names of PAM services, such as `sshd`.",
        without: ("The service does not matter.", "sshd"))
    case .networks:
      KeyDocumentation(
        "Networks that the user signs in from, as `address/length`.",
        details: """
          The address has no bits set after the prefix. An IPv4 address in IPv6 notation
          (`::ffff:192.0.2.1`) counts as IPv4, and a network of one version contains no address of
          the other. The address is PAM_RHOST if that is numeric. `sshd`, which passes a host name
          with `UseDNS yes`, is an exception: then the address is that of the connection's peer.
          Names are never looked up or compared.
          """,
        without: ("The address does not matter.", "192.0.2.0/24, 2001:db8::/32"))
    case .state:
      KeyDocumentation(
        "Whether users are asked for a code.",
        words: [
          ("enabled", "Enrolled users are asked for a code."),
          (
            "observe",
            """
            Enrolled users are asked for a code and let through whatever they answer. The log has
            the result that `enabled` would have had. Use this to begin on a host with many users.
            """
          ),
          (
            "disabled",
            """
            No user is asked for a code. If users are locked out, set this from a root shell or the
            console.
            """
          ),
        ],
        details: "Errors in the configuration deny sign-ins in every state.")
    case .adjacentIntervals:
      KeyDocumentation(
        """
        The number of codes before and after the current one that are accepted, to allow for clocks
        that differ and for typing. If the period is 30 seconds, 5 is two and a half minutes in
        either direction.
        """,
        details: """
          Each additional interval makes a correct guess slightly more likely: with 5 intervals, 11
          codes out of a million are correct at any moment.
          """)
    case .issuer:
      KeyDocumentation(
        "The name that the app shows above the account.",
        without: ("The app shows the host name.", "Example Company"))
    case .language:
      KeyDocumentation(
        "The language of messages to users whose own language is not known.",
        words: [
          ("en", "English"), ("fr", "French"), ("es", "Spanish"), ("ja", "Japanese"),
          ("zh-TW", "Traditional Chinese"),
        ])
    case .enrollment:
      KeyDocumentation(
        "Whether and when users enrol.",
        words: [
          (
            "self-service",
            """
            Users enrol when they wish. Users who are not enrolled are not asked for a code.
            """
          ),
          (
            "offered",
            """
            Users who are not enrolled sign in without a code while the offer lasts. After the first
            factor, they are asked whether they enrol at once, and told how long they can postpone
            it; where the application cannot ask, they are told at most. After the offer, the setting acts as
            `required`. At least one of `offer_sign_ins` (1 or more) and `offer_until` must be set
            as well: an offer that never ends is an error.
            """
          ),
          (
            "required",
            """
            Users who are not enrolled enrol during sign-in, if the stack is certain to reach the
            module's `account` line and the application can ask questions. Otherwise they are
            denied and must first enrol in another way: see `pam_mfa`(8).
            """
          ),
        ])
    case .offerSignIns:
      KeyDocumentation(
        """
        The number of sign-ins without a factor that `enrollment = offered` allows. With 0, the
        number is not limited. It has no effect unless `enrollment = offered` is set.
        """,
        details: """
          Sign-ins are counted by the module's `account` line, which only users who have passed the
          first factor reach, and only if the user could answer the offer: a service without that
          line counts none, and neither do sign-ins with a key alone and programs without a dialogue.
          """)
    case .offerUntil:
      KeyDocumentation(
        """
        The last day on which `enrollment = offered` allows users to postpone enrolment. The day
        ends at midnight UTC. It has no effect unless `enrollment = offered` is set. If
        `offer_sign_ins` is set too, the limit that is reached first ends the offer.
        """,
        without: ("The offer has no last day.", "2030-12-31"))
    case .prompt:
      KeyDocumentation(
        """
        The question for a code, the same in every language, for programs that recognise questions
        by their text. Write it without quotes; a space is added at its end.
        """,
        details: """
          The text replaces every question that a code alone answers: also the one for a recovery
          code, and the one that offers to send a code to a phone, where `s` still requests one. The
          list of `prompt_hints` stays above it. The question for a code of the device that was
          chosen from the list, those for a break-glass code and an offline recovery code, and those
          of an enrolment keep their texts. With the module's option `forward_pass`, the question
          asks for the password, too, and is not replaced. The module's option `prompt=` overrides
          this key.

          Set it for `services`: if it is set for `users` or `groups`, everyone who types a name
          sees whether that user is one of them.
          """,
        without: ("Users are asked in their language.", "Verification code:"))
    case .promptHints:
      KeyDocumentation(
        """
        Whether the prompt shows a numbered list of the user's factors, oldest first. A user who
        types a number is asked for a code of that factor. The list tells an attacker who reaches
        the prompt that the user is enrolled, and with which factors: make the stack ask for the
        password first.
        """,
        details: """
          The user can also type a code of any of the factors. After a number, only a code of that
          factor is accepted. A number that is not in the list does not count as an attempt. With
          the module's option `forward_pass` the list is only shown, and a number selects nothing;
          with `use_first_pass` there is no prompt, and so no list.
          """)
    case .tries:
      KeyDocumentation(
        """
        How many codes a user can try in one sign-in before it is denied. Each of them counts as an
        attempt. Set it to 1 for services whose program gives each question the same answer.
        """,
        details: """
          With the module's options `forward_pass` and `use_first_pass`, there is one try. An
          offline recovery code can be tried three times. The module's option `tries=` overrides
          this key.
          """)
    case .endSessionsOnUnenroll:
      KeyDocumentation(
        """
        Whether a user's other login sessions end when the user removes the factor that was
        enrolled last, with every program in them: terminal multiplexers and jobs that were to go
        on after logging out, too. Remembered sign-ins are cleared in any case.
        """,
        details: """
          The default is `off`, because users of a host expect that a session lasts until they end
          it. With systemd-logind's default, `KillUserProcesses=no`, what runs under `tmux`(1) or
          `nohup`(1) survives even logging out, but not the end of its session by `loginctl`(1),
          which `mfa-enroll` uses. An open session was proven when it began, and its user has just
          proven the removal. Set it to `on` if a removed device may be a stolen one.

          `mfa-enroll unenroll` says what ends before it asks for confirmation; with `--yes`, it does
          not ask. Sessions that systemd-logind does not know, and those on other hosts of a realm,
          continue.
          """)
    case .remember:
      KeyDocumentation(
        """
        How long a sign-in is remembered. After an accepted code, the user is not asked again for
        this time in the services listed in `remember_services`, if the sign-in comes from the same
        numeric address and with the same SSH keys (or none, if none were used). An attacker with
        the password and the same address needs no code either. It has no effect unless
        `remember_services` is set.
        """,
        details: """
          A sign-in without a prompt does not extend the time; the log has `result=remembered`. If
          the address is not known as a number, nothing is remembered. Nothing is remembered with
          the module's options `forward_pass`, `try_first_pass` and `use_first_pass`, either,
          because they expect a password with the code.

          For each account, up to four addresses and five sessions are stored as keyed digests; when
          there are more, the oldest is removed. `mfa-enroll forget` and `mfa-admin forget` clear
          them, and so does the removal of any factor. Sign-ins with a recovery code or a bypass
          code are not remembered. A remembered sign-in is allowed even while the account is
          throttled, for example by an attacker's wrong codes. While the factors are locked, every
          sign-in is denied.

          `Note` that all users of one address, for example behind one router, count as one place:
          an attacker at that address needs only the password or the key, and no code.
          """)
    case .rememberServices:
      KeyDocumentation(
        """
        The PAM services in which a remembered sign-in is accepted. It has no effect unless
        `remember` is set.
        """,
        details: """
          A sign-in without a remote address is recognised by its session, and only in these
          services:

          `sudo`, `sudo-i`, `su`, `su-l` and `doas`, when a user (not root) starts the program in a
          terminal and the program reports that terminal to PAM. A code counts if it was typed in
          the same session or, for the user's own account, at the sign-in with sshd or login that
          the session is part of.

          `sshd` and `login`, when login leads the session of its terminal. They begin a session
          with each sign-in.

          Every other service may be a daemon with one session for all users, such as an FTP or mail
          server, or may have no terminal, such as cron and screen lockers. Such a service asks for
          a code each time unless it reports the numeric address of the client to PAM.
          `mfa-admin doctor` names such services.
          """,
        without: ("No sign-in is remembered.", "sshd"))
    case .freshFor:
      KeyDocumentation(
        """
        The maximum age of a code that is accepted instead of a prompt, whichever service it was
        typed in. If it is set, it replaces `remember` and `remember_services`. It is meant for a
        tenant.
        """,
        details: """
          In a tenant for `sudo`, `fresh_for = 15m` asks for a code unless one was typed in the same
          session within the last 15 minutes, to sign in or for sudo. The sessions that count are
          described at `remember_services`.
          """)
    case .programPasswords:
      KeyDocumentation(
        """
        The PAM services in which a password for a program signs its user in, without a code. Users make such passwords
        with `mfa-enroll program-password`, for mail clients and other programs that cannot ask for a code.
        """,
        details: """
          The auth lines of the service need one with the option `program_password`, see pam_mfa(8). Leave out services
          that give users a shell, such as `sshd`: an attacker could read the password in the settings of a program
          and use the shell.
          """,
        without: ("Passwords for programs are not accepted.", "dovecot, smtp"))
    case .throttleAfter:
      KeyDocumentation(
        """
        The number of wrong codes in a row after which the next attempt has to wait. It must not be
        larger than `disable_after`. The same code again is not counted.
        """)
    case .throttleFirstWait:
      KeyDocumentation(
        """
        The first wait, which must not be longer than `throttle_longest_wait`. It doubles with each
        further wrong code.
        """)
    case .throttleLongestWait:
      KeyDocumentation(
        """
        The longest wait. An address or terminal that took turns after earlier waits waits up to twice
        as long, so that a user elsewhere can sign in.
        """)
    case .disableAfter:
      KeyDocumentation(
        """
        The number of wrong codes in a row after which the factors of the account are locked, until
        root runs `mfa-admin unlock` or removes the factors with `mfa-admin revoke --all`.
        """)
    case .recoveryUnlocks:
      KeyDocumentation(
        """
        Whether a recovery code unlocks the factors of the account after `disable_after` wrong
        codes. The sign-in with the recovery code then succeeds, and the wrong codes are cleared.
        """,
        details: """
          While the factors are locked, only recovery codes that this program created are accepted:
          80 random bits, which cannot be guessed, so further attempts are not counted. Recovery
          codes that were imported from another program have only eight digits and unlock nothing.
          The use is in the audit log as `unlocked-by-recovery-code`, and the user is notified.
          """)
    case .factors, .gateway, .regions, .phoneTestNumbers, .phoneWaitingTime, .phoneInterval,
      .phonePerTenMinutes, .phonePerDay, .phoneNumberHourly, .phoneHostDaily, .phoneBreaker:
      phoneDocumentation
    }
  }

  /// The spellings of the name, the usual one first.
  package var spellings: [String] {
    let declaration = declaration
    let other = utf8Text(declaration.otherSpelling.bytes)
    return other.isEmpty ? [name] : [name, other]
  }

  /// The default in canonical form; nil if the key has none.
  package var defaultText: [UInt8]? {
    let declaration = declaration
    return declaration.defaultValue.flatMap { declaration.type.printed($0) }
  }

  /// Whether the setting concerns the whole host, so that only `[project]` can have the key.
  package var isOfTheHost: Bool { declaration.scope == .project }
}

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
            over a number. They need `gateway` and `regions`. If only phones are allowed and one of
            the two is not set, no user can enrol: no enrolment is offered, and where one is required,
            sign-ins are denied.
            """
          ),
        ],
        details: """
          A factor of another type stays enrolled, but its codes are not accepted: the user is told
          so after a right one, which is used up and does not count as a wrong one. If it is unknown
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
        them, and neither `regions` nor the limits and the waiting time of phones apply. All users can read this file: with a test number, the
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
