import MFAAdmin
import MFADoctor
import MFAPAMStack

/// The contents of a service's file with the module's lines added.
///
/// MUST 1: a file is written only after PAMStack has read it back and verified it.
/// (`StackPlanTests`)
package struct StackPlan: Equatable {
  /// The new contents of the file.
  package let text: [UInt8]

  /// The line follows the lines that ask for the password.
  private static let auth = "auth requisite pam_mfa.so after_password"
  /// The line where password and code are typed together. It passes the password on to the lines that follow, also after
  /// a wrong code, so that a refusal does not reveal which users have enrolled.
  private static let authWithPassword = "auth required pam_mfa.so forward_pass"
  /// The line for passwords of programs that cannot ask for a code, above all others. A password for a program that is not
  /// accepted is then tried neither as a password nor as a code.
  private static let authOfProgram =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so program_password"
  /// The line for a code after a key, above the lines that ask for the password: for users who have
  /// enrolled, the code decides, and all others are asked for the password. A connection to sshd from
  /// before its settings changed therefore needs the password or a code, never neither.
  private static let authAfterKey =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so"
  /// The line for a code after a key, if a password may replace the key: all others are asked for the
  /// password and then, by `auth`, for a code.
  private static let authIfAfterKey =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so after_key"
  /// Jumps over the `substack` line of the password, which is there a second time as an `include`: a wrong
  /// password ends a substack and not the stack.
  private static let overSubstack = "auth [success=1 default=ignore] pam_permit.so"
  private static let account = "account required pam_mfa.so"
  /// The line of a program that verifies passwords itself, and runs no `auth` line.
  private static let accountRequiringCode = "account required pam_mfa.so require_code"
  /// Lets root switch to accounts without a factor, because root is not asked for a code.
  private static let rootAccount = "account sufficient pam_rootok.so"

  /// What libpam uses for a service without `account` lines (pam.conf(5)). Without it, the line of the module would be
  /// the only one, and nothing would allow users who have not enrolled.
  private static let otherAccount = "account include other"

  /// Shows pending notices. Other services show them in the `auth` line.
  private static let session = "session optional pam_mfa.so"

  /// All lines that are added to service files.
  static let knownLines = [
    auth, authWithPassword, authOfProgram, authAfterKey, authIfAfterKey, overSubstack, account,
    accountRequiringCode, rootAccount, otherAccount, session,
  ]

  /// Returns whether a line is one of those that are added.
  static func isKnown(_ line: [UInt8]) -> Bool {
    knownLines.contains { Array($0.utf8) == line }
      || line.starts(with: included.utf8)
        && IncludedServiceFile.contains(Array(line.dropFirst(included.utf8.count)))
  }

  private static let included = "auth include "

  private static func accountLines(of service: [UInt8]) -> [String] {
    if SessionService(service) == .sshd { return [account, session] }
    return PAMCaller.isRoot(at: service) ? [account] : [rootAccount, account]
  }

  /// Adds the lines.
  ///
  /// `mark` is the service that the marks name. `source` contains all files unchanged. With `oneField`, password and code
  /// are typed together, and passwords for programs are accepted if policy accepts them.
  init<Source: StackSource>(
    _ service: [UInt8], _ first: SecureShellFactors.First = .password,
    _ conversation: ServiceConversation = .fields, acceptsProgramPasswords: Bool = false,
    mark: [UInt8], file: StackFile, in source: OverlaidStacks<Source>
  ) throws(AdminError) {
    guard conversation == .fields else {
      let lines = (acceptsProgramPasswords ? [Self.authOfProgram] : []) + [Self.authWithPassword]
      text = try Self.withPassword(service, lines, mark: mark, file: file, in: source)
      return
    }
    switch first {
    case .password: text = try Self.afterPassword(service, mark: mark, file: file, in: source)
    case .keyOrPassword:
      let usual = try Self.afterPassword(service, mark: mark, file: file, in: source)
      text = try Self.onTop(
        [Self.authIfAfterKey], of: usual, first, service: service, mark: mark, file: file,
        in: source)
    case .key:
      text = try Self.onTop(
        [Self.authAfterKey] + Self.accountLines(of: service), of: file.contents, first,
        service: service, mark: mark, file: file, in: source)
    }
  }

  /// Adds the `account` line that denies users of whom policy requires a code.
  init<Source: StackSource>(
    requiringCodeAt service: [UInt8], mark: [UInt8], file: StackFile,
    in source: OverlaidStacks<Source>
  ) throws(AdminError) {
    let start = try Self.accountStart(service, file, source)
    var lines = [Self.accountRequiringCode]
    if start == nil, try Self.hasOther(source) { lines.append(Self.otherAccount) }
    text = MarkedText(service: mark).inserting(
      lines, into: file.contents, at: start ?? file.contents.count)
    let changed = source.replacing(service, with: StackFile(path: file.path, contents: text))
    do throws(StackRefusal) {
      guard try RequiredCodeLine(of: service, in: changed) == nil else { return }
    } catch {
      throw ServicePlan.noSafePlace(service, error.located)
    }
    throw ServicePlan.noSafePlace(service, "other account lines can let users in")
  }

  /// Returns the file with the lines at the first suitable place after the line that asks for the
  /// password.
  private static func afterPassword<Source: StackSource>(
    _ service: [UInt8], mark: [UInt8], file: StackFile, in source: OverlaidStacks<Source>
  ) throws(AdminError) -> [UInt8] {
    let ends = ends(of: file.contents)
    guard let line = try passwordLine(service, file, ends, source) else {
      throw ServicePlan.noSafePlace(service, StackProof.noPassword)
    }
    var obstacle = StackProof.missing
    for end in ends[line...] {
      for draft in try drafts(service, mark: mark, file, insertingAt: end, in: source) {
        let changed = source.replacing(service, with: StackFile(path: file.path, contents: draft))
        guard let found = StackProof.obstacle(of: service, in: changed) else { return draft }
        if obstacle == StackProof.missing { obstacle = found }
      }
    }
    if let draft = try inPlaceOfSubstack(service, mark: mark, file, ends, line, source) {
      return draft
    }
    throw ServicePlan.noSafePlace(service, obstacle)
  }

  /// Returns the file with the lines directly above the line that asks for the password, which then gets the password
  /// from them.
  private static func withPassword<Source: StackSource>(
    _ service: [UInt8], _ lines: [String], mark: [UInt8], file: StackFile,
    in source: OverlaidStacks<Source>
  ) throws(AdminError) -> [UInt8] {
    let ends = ends(of: file.contents)
    guard let line = try passwordLine(service, file, ends, source) else {
      throw ServicePlan.noSafePlace(service, StackProof.noPassword)
    }
    let start = line == 0 ? 0 : ends[line - 1]
    var obstacle = StackProof.missing
    for draft in try drafts(
      service, lines, mark: mark, file, insertingAt: start, in: source)
    {
      let changed = source.replacing(service, with: StackFile(path: file.path, contents: draft))
      guard let found = StackProof.obstacle(of: service, in: changed, conversation: .oneField)
      else { return draft }
      obstacle = found
    }
    throw ServicePlan.noSafePlace(service, obstacle)
  }

  /// Returns the file with the lines above the line that asks for the password, if that is a `substack` line, and
  /// with the password asked for above them.
  private static func inPlaceOfSubstack<Source: StackSource>(
    _ service: [UInt8], mark: [UInt8], _ file: StackFile, _ ends: [Int], _ line: Int,
    _ source: OverlaidStacks<Source>
  ) throws(AdminError) -> [UInt8]? {
    let start = line == 0 ? 0 : ends[line - 1]
    let words = String(decoding: file.contents[start..<ends[line]], as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    guard words.count == 3, words[0] == "auth", words[1] == "substack",
      IncludedServiceFile.contains(Array(words[2].utf8))
    else { return nil }
    let lines = [included + words[2], auth, overSubstack]
    return try drafts(service, lines, mark: mark, file, insertingAt: start, in: source).first {
      draft in
      let changed = source.replacing(service, with: StackFile(path: file.path, contents: draft))
      return StackProof.obstacle(of: service, in: changed) == nil
    }
  }

  /// Returns the text with lines above all others, which must then prove what `first` says.
  private static func onTop<Source: StackSource>(
    _ lines: [String], of text: [UInt8], _ first: SecureShellFactors.First, service: [UInt8],
    mark: [UInt8], file: StackFile, in source: OverlaidStacks<Source>
  ) throws(AdminError) -> [UInt8] {
    let text = MarkedText(service: mark).inserting(lines, into: text, at: 0)
    let draft = source.replacing(service, with: StackFile(path: file.path, contents: text))
    if let obstacle = StackProof.obstacle(of: service, in: draft, first) {
      throw ServicePlan.noSafePlace(service, obstacle)
    }
    return text
  }

  /// Returns the candidates: the file with all lines at `end`, and with the `account` line above
  /// all other `account` lines instead.
  private static func drafts<Source: StackSource>(
    _ service: [UInt8], _ auth: [String] = [auth], mark: [UInt8], _ file: StackFile,
    insertingAt end: Int,
    in source: OverlaidStacks<Source>
  ) throws(AdminError) -> [[UInt8]] {
    let marks = MarkedText(service: mark)
    let text = file.contents
    guard let top = try accountStart(service, file, source) else {
      let lines = auth + accountLines(of: service) + (try hasOther(source) ? [otherAccount] : [])
      return [marks.inserting(lines, into: text, at: end)]
    }
    let together = marks.inserting(auth + accountLines(of: service), into: text, at: end)
    guard top <= end else { return [together] }
    let below = marks.inserting(auth, into: text, at: end)
    return [together, marks.inserting(accountLines(of: service), into: below, at: top)]
  }

  /// Returns the end offset of each logical line, including its continuation lines.
  private static func ends(of text: [UInt8]) -> [Int] {
    var ends: [Int] = []
    var offset = 0
    for line in MarkedText.lines(of: text) {
      offset += line.count
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      let isComment = words.first?.hasPrefix("#") == true
      guard isComment || words.last?.hasSuffix("\\") != true else { continue }
      ends.append(offset)
    }
    return ends
  }

  /// Returns the first line that asks for a password, directly or through an included file, as an
  /// index into `ends`.
  private static func passwordLine<Source: StackSource>(
    _ service: [UInt8], _ file: StackFile, _ ends: [Int], _ source: OverlaidStacks<Source>
  ) throws(AdminError) -> Int? {
    for (index, end) in ends.enumerated() {
      let entries = try entries(.auth, service, file, until: end, source)
      if entries.contains(where: \.asksForPassword) { return index }
    }
    return nil
  }

  /// Returns the offset of the first line that is an `account` line or includes one, or nil.
  private static func accountStart<Source: StackSource>(
    _ service: [UInt8], _ file: StackFile, _ source: OverlaidStacks<Source>
  ) throws(AdminError) -> Int? {
    var start = 0
    for end in ends(of: file.contents) {
      guard try entries(.account, service, file, until: end, source).isEmpty else { return start }
      start = end
    }
    return nil
  }

  /// Returns whether the service `other`, which stands in for missing lines, has `account` lines.
  private static func hasOther<Source: StackSource>(
    _ source: OverlaidStacks<Source>
  ) throws(AdminError) -> Bool {
    let other = Array("other".utf8)
    do throws(StackRefusal) {
      guard try source.file(other) != nil else { return false }
      return try !ServiceStack(.account, of: other, from: source).entries.isEmpty
    } catch {
      throw ServicePlan.noSafePlace(other, error.located)
    }
  }

  /// Returns the stack entries of the file truncated at `end`.
  private static func entries<Source: StackSource>(
    _ facility: StackType, _ service: [UInt8], _ file: StackFile, until end: Int,
    _ source: OverlaidStacks<Source>
  ) throws(AdminError) -> [StackEntry] {
    let beginning = StackFile(path: file.path, contents: Array(file.contents[..<end]))
    var truncated = source.replacing(service, with: beginning)
    truncated.hasOther = false
    do throws(StackRefusal) {
      return try ServiceStack(facility, of: service, from: truncated).entries
    } catch {
      throw ServicePlan.noSafePlace(service, error.located)
    }
  }
}

/// Verifies that a service's stack asks for the password first and then calls the module, and that
/// no sign-in can bypass it.
///
/// The proof uses the stack as PAMStack reads it, which is what libpam reads.
///
/// MUST 1: a line that can be bypassed, or that is reached without the password, never passes the
/// proof. (`StackPlanTests`)
package struct StackProof {
  /// The file name of the module.
  package static var module: StaticString { "pam_mfa.so" }

  /// Returns the first line of a service's `auth` stack that calls the module, or nil.
  package static func line<Source: StackSource>(
    of service: [UInt8], in source: Source
  ) throws(StackRefusal) -> StackPosition? {
    let stack = try ServiceStack(.auth, of: service, from: source)
    return stack.entries.first(where: \.callsModule)?.position
  }

  /// The problem that no line asks for a password.
  static let noPassword = "the stack does not ask for a password"
  /// The problem that every sign-in fails.
  private static let alwaysFails = "the stack fails whatever its modules return"
  /// The problem that no `auth` line calls the module.
  static let missing = "the stack has no auth line for pam_mfa.so"

  /// Returns the first problem with a service's stack in words, or nil. After a key that sshd has
  /// verified, enrolled users need no password, and all others do. In one field, the password is typed with the code.
  package static func obstacle<Source: StackSource>(
    of service: [UInt8], in source: Source, _ first: SecureShellFactors.First = .password,
    conversation: ServiceConversation = .fields
  ) -> String? {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      if conversation == .oneField {
        if let obstacle = obstacleInOneField(stack, of: service) { return obstacle }
      } else {
        for afterKey in [false, true] where first != (afterKey ? .password : .key) {
          if let obstacle = authObstacle(stack, of: service, afterKey: afterKey) {
            return obstacle
          }
        }
      }
    } catch {
      return error.located
    }
    let account = AccountLine(
      of: module, service: service, authArguments: [],
      isCalledByRoot: PAMCaller.isRoot(at: service), from: source)
    if case .certain = account { return nil }
    return account.sentence
      + (account.obstacle.map { " (\(VisibleText.escaping($0)))" } ?? "")
  }

  /// Returns the first problem with an `auth` stack whose module gets the password with the code, and passes it on.
  private static func obstacleInOneField(_ stack: ServiceStack, of service: [UInt8]) -> String? {
    func effect(
      _ authenticators: Claimant.Authenticators,
      _ enrollment: Claimant.Enrollment = .enrolled
    ) -> StackEffect {
      StackEffect(
        ofAuthStack: stack, of: service, for: Claimant(authenticators.union(.other), enrollment))
    }
    guard let index = stack.moduleIndex else { return missing }
    guard stack.entries[index...].contains(where: \.asksForPassword) else { return noPassword }
    if let obstacle = bypass(stack, index, effect([.password])) { return obstacle }
    guard !effect([.code]).canSucceed, !effect([], .notRequired).canSucceed else {
      return "a wrong password would sign users in"
    }
    let withCode = effect([.password, .code])
    return withCode.canSucceed && withCode.calls == 1 ? nil : alwaysFails
  }

  /// Returns how a user without a code could get past the module's line, or nil.
  private static func bypass(
    _ stack: ServiceStack, _ index: Int, _ withoutCode: StackEffect
  ) -> String? {
    func place(_ entry: StackEntry) -> String { VisibleText.escaping(entry.position.text) }
    let entries = stack.entries
    guard entries[index].level == 0, withoutCode.ignoring.isEmpty else {
      // The module's line, or the line that discards its result.
      let line = entries[withoutCode.ignoring.first?.index ?? index]
      return "\(place(line)) can fail without denying the sign-in"
    }
    return withoutCode.skipping.first.map {
      "\(place(entries[$0.index])) can end the stack before pam_mfa.so or jump over it"
    }
  }

  /// Returns the first problem with an `auth` stack, after a key that sshd has verified or without one.
  private static func authObstacle(
    _ stack: ServiceStack, of service: [UInt8], afterKey: Bool
  ) -> String? {
    let entries = stack.entries
    func place(_ entry: StackEntry) -> String { VisibleText.escaping(entry.position.text) }
    func effect(
      _ authenticators: Claimant.Authenticators,
      _ enrollment: Claimant.Enrollment = .enrolled
    ) -> StackEffect {
      let others: Claimant.Authenticators = afterKey ? [.other, .key] : [.other]
      return StackEffect(
        ofAuthStack: stack, of: service,
        for: Claimant(authenticators.union(others), enrollment))
    }
    guard
      let index = afterKey ? entries.firstIndex(where: \.callsModule) : stack.moduleIndex
    else { return missing }
    if let obstacle = bypass(stack, index, effect([.password])) { return obstacle }
    if afterKey {
      let notEnrolled = effect([], .notRequired)
      guard !notEnrolled.canSucceed else {
        let lines = notEnrolled.way.map { entries[$0.index] }
        let cause = lines.first(where: \.asksForPassword) ?? lines.last ?? entries[index]
        return "a key and a wrong password would sign in users who have not enrolled, because of "
          + place(cause)
      }
    } else {
      guard let password = entries[..<index].first(where: \.asksForPassword) else {
        return noPassword
      }
      guard !effect([.code]).callsModule else {
        return
          "after a wrong password at \(place(password)), the stack continues and asks for a code"
      }
    }
    let withCode = effect(afterKey ? [.code] : [.password, .code])
    return withCode.canSucceed && withCode.calls == 1 ? nil : alwaysFails
  }
}
