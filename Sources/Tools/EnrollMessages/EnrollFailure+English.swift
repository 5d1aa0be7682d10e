import MFAMessages

extension EnrollFailure {
  /// The text in English.
  package var english: FailureText {
    switch self {
    case .noTerminal:
      FailureText(
        "There is no terminal to ask on.",
        hint: """
          Use ssh -t, or say with --stdin that a program writes the answers to standard input. A \
          password that is typed without a terminal would be visible.
          """)
    case .otherAccount(let name):
      FailureText(
        "Only root can use mfa-enroll for another account (\(name)).",
        hint: "Run it without --user for your own account.")
    case .unknownAccount(let name):
      FailureText(
        "There is no account \(name) on this host.", hint: "Check the name after --user.")
    case .accountNotNamed(let user):
      FailureText(
        "mfa-enroll was started with sudo, and nobody can be asked for which account.",
        hint: "Use --user \(user) or --user root.")
    case .accountNotTaken(let name):
      FailureText(
        "This process cannot run as \(name).",
        hint: "Sign in as \(name), and run mfa-enroll there.")
    case .processNotProtected:
      FailureText(
        "This process can't be protected from your other programs.",
        hint: "Run mfa-enroll where prctl(2) is allowed.")
    case .usage(let problem):
      FailureText("\(problem)", hint: "See what it understands: mfa-enroll --help")
    case .unknownCommand(let name, let meant?):
      FailureText("There is no command '\(name)'.", hint: "Did you mean: mfa-enroll \(meant)")
    case .unknownCommand(let name, nil):
      FailureText("There is no command '\(name)'.", hint: "See all commands: mfa-enroll --help")
    case .noCode: FailureText("No code was typed. Nothing was changed.", hint: "Start again.")
    case .nothingAdded:
      FailureText(EnrollMessage.nothingAdded.english, hint: "Start again: mfa-enroll")
    case .nothingRemoved:
      FailureText("Nothing was removed.", hint: "To remove it, answer y or use --yes.")
    case .noSuchDevice(let name):
      FailureText("You have no device '\(name)'.", hint: "See your devices: mfa-enroll list")
    case .ambiguousID(let id):
      FailureText(
        "More than one ID begins with '\(id)'.", hint: "Type more of it, or use the name.")
    case .noDevice: FailureText("You have no device yet.", hint: "Add one: mfa-enroll")
    case .severalDevices:
      FailureText(
        "You have several devices.", hint: "Name one of them. To see them: mfa-enroll list")
    case .recoveryCodesNotSaved(let path):
      FailureText(
        "The recovery codes are valid but could not be saved in \(path).",
        hint: """
          Copy them from the screen, or free some space and run mfa-enroll recovery-codes --new \
          again.
          """)
    case .recoveryCodesNotPrinted:
      FailureText(
        "The recovery codes are valid but could not be printed.",
        hint: "Copy them from the screen, or run mfa-enroll recovery-codes --new again.")
    case .noPrinter:
      FailureText(
        "This host has no program to print with (lpr or lp).",
        hint: "Save the codes with --save FILE, or copy them from the screen.")
    case .noOfflineCodes:
      FailureText(
        "No offline recovery codes are accepted for you here.",
        hint: """
          Ask your administrator for the name of a group of hosts, and name it: mfa-enroll offline-codes --hosts GROUP
          """)
    case .noHomeFolder:
      FailureText("HOME does not name your home folder.", hint: "Name the file to import.")
    case .fileNotOpened(let path, let reason):
      FailureText("\(path) can't be opened (\(reason)).", hint: "Name the file to import.")
    case .notAFile(let path):
      FailureText("\(path) is not a file.", hint: "Name the file to import.")
    case .writableByOthers(let path):
      FailureText(
        "Other users may have changed \(path).",
        hint: "Add a device with a new key: mfa-enroll")
    case .fileNotRead(let path):
      FailureText("\(path) can't be read.", hint: "Name the file to import.")
    case .importRefused(let reason):
      FailureText(
        "The file can't be imported: \(reason).",
        hint: "Nothing was changed. Add a device with a new key: mfa-enroll")
    case .fileNotPrivate(let path):
      FailureText(
        "Other users could read \(path).",
        hint: "Name a file on a disk with owners and permissions, such as in your home folder.")
    case .fileExists(let path):
      FailureText("\(path) already exists.", hint: "Name another file, or remove this one.")
    case .folderMissing(let path):
      FailureText(
        "The folder of \(path) does not exist.", hint: "Create it, or name another file.")
    case .noPermission(let path):
      FailureText(
        "You do not have permission to create \(path).",
        hint: "Name a file in a folder of your own.")
    case .fileNotCreated(let path, let reason):
      FailureText("\(path) can't be created (\(reason)).", hint: "Name another file.")
    case .fileNotWritten(let path, let reason):
      FailureText(
        "\(path) can't be written (\(reason)). No device was added.",
        hint: "Free some space there, or name another file.")
    case .noPicture(let obstacle):
      FailureText(obstacle.english, hint: "Without --qr, the key is shown as text.")
    }
  }
}
