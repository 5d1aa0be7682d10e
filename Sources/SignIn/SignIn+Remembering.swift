import FactorStore
import Factors
import Policy
import Secrets
import System

// Codes that are remembered: who gave one not long ago, from the same place, is not asked again where
// policy says so.
//
// MUST 1: a place is a numeric address together with the keys that were used, or a session of this
// machine; what cannot be told for certain is no place. (`RememberingTests`)
// MUST 2: disabled factors let nobody in. (`RememberingTests.disabled`)
// MUST 3: a session counts only where the user's own program runs at its terminal, or where the service
// begins a session for each sign-in. (`RememberingTests.sessionOfAService`)
extension SignIn {
  /// What policy says of codes that are remembered here, and from where the person comes.
  struct Memory {
    /// How old a code may be that is enough, in seconds; 0 where a new one is asked for.
    let oldest: Int64
    /// The address with the keys; nil where it is not known, or does not matter.
    let address: Place?
  }

  /// What there is to know of that.
  func memory(_ settings: Settings) -> Memory {
    let oldest = settings.oldestCode(in: request.service)
    return Memory(oldest: oldest, address: oldest > 0 ? address : nil)
  }

  /// The places from which a code of this sign-in will be remembered.
  func places(_ memory: Memory, _ findings: Findings) -> [Place] {
    var places: [Place] = []
    if let address = memory.address { places.append(address) }
    if findings.followsSessions, let account = findings.account,
      sessionUse(account) != .none, let session = host.session
    {
      places.append(session)
    }
    return places
  }

  /// How many seconds ago the code was given that is enough here; nil where one is to be asked for.
  ///
  /// Somebody else's wrong codes make nobody wait who is not asked for one.
  @inline(never)
  func rememberedCode(
    _ options: ModuleOptions, _ memory: Memory, _ findings: Findings, _ account: Account,
    _ snapshot: FactorSnapshot, _ standing: AttemptState.Standing, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Int64? {
    // The password that comes with the code is asked for with it.
    guard memory.oldest > 0, standing != .disabled, !options.expectsPassword,
      !snapshot.attempts.remembered.entries.isEmpty
    else { return nil }
    var places: [Place] = []
    if let address = memory.address { places.append(address) }
    let use = findings.followsSessions ? sessionUse(account) : .none
    switch use {
    case .none, .begins: break
    case .own: if let session = host.session { places.append(session) }
    case .enclosing: places += host.enclosingSessions
    }
    guard !places.isEmpty else { return nil }
    let now = try now()
    do throws(FactorStoreError) {
      let digests = try store.digests(of: places, in: snapshot.record)
      guard
        let time = snapshot.attempts.remembered.time(
          of: digests, notOlderThan: memory.oldest, at: now)
      else { return nil }
      if use == .begins, let session = host.session {
        guard try Attempt.follow(session, from: digests, at: time, by: account, in: store) else {
          return nil
        }
      }
      return now &- time
    } catch {
      throw .store(error)
    }
  }

  /// What the session of this process says about the user.
  enum SessionUse {
    /// Nothing: it may be the session of a daemon that many users reach.
    case none
    /// It begins with this sign-in, so that no earlier code belongs to it.
    case begins
    /// A code that was typed in this session belongs to it. The sessions around it do not count.
    case own
    /// The code was typed in this session, or when the user signed in to one around it.
    case enclosing
  }

  /// What the session says. The services that are not known say nothing, and neither does a program
  /// that has no terminal or tells PAM of another one, or a daemon that root started at a terminal.
  private func sessionUse(_ account: Account) -> SessionUse {
    guard let service = SessionService(request.service) else { return .none }
    if service == .sshd { return .begins }
    guard request.remoteHost?.isEmpty ?? true, isAtItsTerminal else { return .none }
    if service == .login { return host.leadsSession ? .begins : .none }
    let caller = host.identity.user
    // The ancestors of a program that another user started need not be the account's.
    return caller == 0 ? .none : caller == account.uid ? .enclosing : .own
  }

  /// Whether the terminal that PAM was told of controls this process.
  private var isAtItsTerminal: Bool {
    guard let terminal = request.terminal, let name = host.controllingTerminal else { return false }
    let folder: StaticString = "/dev/"
    return terminal == name || terminal == folder.bytes + name
  }

  /// The address from which the person comes, with the keys that were used; nil where it is not known.
  private var address: Place? {
    guard let address = numericAddress(), let methods = application.earlierMethods() else {
      return nil
    }
    return Place(.address, address.text + [0] + methods)
  }
}

extension Attempt {
  /// Remembers a code that was given at `time` for a session too, unless it was forgotten meanwhile:
  /// then it is false.
  static func follow<Store: FactorStore>(
    _ session: Place, from places: [PlaceDigest], at time: Int64, by account: Account,
    in store: Store
  ) throws(FactorStoreError) -> Bool {
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
