import MFAWire
import MFAPAMStack
import MFAAttempt
import MFABase
import MFAStore
import MFAModel

// Remembered sign-ins: a user who gave a code recently, from the same address or in the same
// session, is not asked again if policy allows it.
//
// MUST 1: a code is remembered only for a numeric address together with the keys that were used, or
// for a session of this host. An address or session that is not certain is not used.
// (`RememberingTests`)
// MUST 2: no remembered code is accepted while the factors are locked.
// (`RememberingTests.disabled`)
// MUST 3: a session counts only if the user's own program runs at its terminal, or if the service
// starts a session for each sign-in. (`RememberingTests.sessionOfAService`)
extension SignIn {
  /// The policy on remembered sign-ins for this service, and the user's address.
  struct Memory {
    /// The maximum age of a remembered code, in seconds; 0 if a code is always required.
    let oldest: Int64
    /// The address and the keys, or nil if they are unknown or not needed.
    let address: SignInOrigin?
  }

  /// Returns the policy on remembered sign-ins for this sign-in.
  func memory(_ settings: Settings) throws(Pause) -> Memory {
    let oldest = settings.oldestCode(in: request.service)
    return Memory(oldest: oldest, address: oldest > 0 ? try address() : nil)
  }

  /// Returns the address and session for which a code of this sign-in will be remembered.
  func places(_ memory: Memory, _ resolved: Resolved) -> [SignInOrigin] {
    var places: [SignInOrigin] = []
    if let address = memory.address { places.append(address) }
    if resolved.followsSessions, let account = resolved.account,
      sessionUse(account) != .unknown, let session
    {
      places.append(session)
    }
    return places
  }

  /// Returns the age in seconds of a remembered code of `owner` that is recent enough, or nil if a
  /// code is required.
  @inline(never)
  func rememberedCode(
    _ memory: Memory, _ owner: Account, _ snapshot: FactorSnapshot, _ resolved: Resolved
  ) throws(Pause) -> Int64? {
    // If the answer also contains the password, the user has to be asked in any case.
    guard memory.oldest > 0, !resolved.options.expectsPassword,
      !snapshot.attempts.remembered.entries.isEmpty, let store = resolved.store
    else { return nil }
    var places: [SignInOrigin] = []
    if let address = memory.address { places.append(address) }
    let use = resolved.followsSessions ? sessionUse(owner) : .unknown
    switch use {
    case .unknown, .begins: break
    case .own: if let session { places.append(session) }
    case .enclosing: places += enclosingSessions
    }
    guard !places.isEmpty else { return nil }
    let now = try now()
    do throws(FactorStoreError) {
      let digests = try store.digests(of: places, in: snapshot.record)
      guard
        let time = snapshot.attempts.remembered.time(
          of: digests, notOlderThan: memory.oldest, at: now)
      else { return nil }
      if use == .begins, let session {
        guard try Attempt.follow(session, from: digests, at: time, by: owner, in: store) else {
          return nil
        }
      }
      return now &- time
    } catch {
      throw .store(error)
    }
  }

  /// The session of the application's process, or nil if it is unknown.
  var session: SignInOrigin? { application.facts?.session.map { SignInOrigin(.session, $0) } }

  /// The sessions that the process may be part of, the innermost first.
  var enclosingSessions: [SignInOrigin] {
    application.facts?.enclosingSessions.map { SignInOrigin(.session, $0) } ?? []
  }

  /// How the session of this process relates to the user.
  enum SessionUse {
    /// Unknown: it may be the session of a daemon that serves many users.
    case unknown
    /// The session begins with this sign-in, so no earlier code belongs to it.
    case begins
    /// A code that was typed in this session counts. Codes from the sessions around it do not.
    case own
    /// A code counts if it was typed in this session or when the user signed in to a session around
    /// it.
    case enclosing
  }

  /// Returns how the session relates to the user. Returns `.unknown` for a service that is not known,
  /// for a program without a terminal or with a different terminal from the one named to PAM, and
  /// for a daemon that root started at a terminal.
  private func sessionUse(_ account: Account) -> SessionUse {
    guard let facts = application.facts, let service = SessionService(request.service) else {
      return .unknown
    }
    if service == .sshd { return .begins }
    guard request.remoteHost?.isEmpty ?? true, isAtItsTerminal else { return .unknown }
    if service == .login { return facts.leadsSession ? .begins : .unknown }
    let caller = identity.user
    // If another user started the program, its ancestors may not belong to the account.
    return caller == 0 ? .unknown : caller == account.uid ? .enclosing : .own
  }

  /// Whether the terminal named to PAM is the controlling terminal of this process.
  private var isAtItsTerminal: Bool {
    guard let terminal = request.terminal, let name = application.facts?.terminal else {
      return false
    }
    let folder: StaticString = "/dev/"
    return terminal == name || terminal == folder.bytes + name
  }

  /// The address that the user signs in from, with the keys that were used, or nil if it is
  /// unknown.
  private func address() throws(Pause) -> SignInOrigin? {
    guard let address = try numericAddress(), let methods = application.earlierMethods else {
      return nil
    }
    return SignInOrigin(.address, address.text + [0] + methods)
  }
}

extension Attempt {
  /// Remembers a code that was given at `time` for this session too. Returns false if the
  /// remembered code has been cleared in the meantime.
  static func follow<Store: FactorStore>(
    _ session: SignInOrigin, from places: [SignInOriginDigest], at time: Int64, by account: Account,
    in store: Store
  ) throws(FactorStoreError) -> Bool {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard let record = entry.record,
        entry.attempts.remembered.entries.contains(where: {
          $0.time == time && places.contains($0.place)
        })
      else { return false }
      var state = entry.attempts
      for digest in try entry.digests(of: [session], in: record) {
        state = state.remembering(digest, at: time)
      }
      try entry.write(state)
      try entry.sync()
      return true
    }
  }
}
