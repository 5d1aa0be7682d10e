import MFAAttempt
import MFABase
import MFAModel
import MFAStore

/// The host that the program runs on.
package enum ThisHost {
  /// Throws an error if the process does not run as root.
  package static func requireRoot() throws(AdminError) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
  }

  /// Returns the administration of this host, and the error if the configuration cannot be used.
  ///
  /// If the configuration cannot be used, the administration has the default settings, and the
  /// command can report the error at its end. For a command that depends on the configuration
  /// (`needsConfiguration`), the error is thrown instead.
  package static func administration(
    needsConfiguration: Bool
  ) throws(AdminError) -> (Administration, AdminError?) {
    try requireRoot()
    var failure: AdminError?
    var settings = Settings.defaults
    var fingerprint: ConfigurationFingerprint?
    do throws(ConfigurationError) {
      let configuration = try DecidingUser.configuration()
      settings = configuration.project
      fingerprint = configuration.fingerprint
    } catch {
      failure = .configuration(error)
    }
    if needsConfiguration, let failure { throw failure }
    let store = try store()
    if let fingerprint {
      note(
        fingerprint, in: store,
        by: ConfigurationChange.somebody(seenBy: Array("mfa-admin".utf8)))
    }
    let administration = Administration(
      store: store, settings: settings, now: try now(), accounts: .system,
      actor: Console.actor, log: { Log.write($0, $1) },
      deliver: { account in
        guard !Delivery.start(for: account) else { return }
        Log.write(.warning, Delivery.failure(for: account))
      },
      audit: { operation, account in
        Audit.write(
          Audit.Record(
            kind: .management, operation: operation, account: account, address: nil,
            terminal: Console.terminal,
            succeeded: true))
      }, terminal: Source(Console.terminal))
    return (administration, failure)
  }

  /// Records in the audit log that the configuration changed, if it did.
  package static func note(
    _ fingerprint: ConfigurationFingerprint, in store: LocalFactorStore,
    by actor: AuditLogEvent.Actor
  ) {
    if let (priority, line) = ConfigurationChange.note(
      fingerprint, in: store, by: actor, at: LocalAuthenticationHost().changeTime)
    {
      Log.write(priority, line)
    }
  }

  /// The largest number of adjacent time steps that any part of the host's configuration accepts, or the
  /// largest possible one if the configuration cannot be used.
  package static var mostAdjacentIntervals: UInt8 {
    do throws(ConfigurationError) {
      let configuration = try DecidingUser.configuration()
      let tenants = configuration.tenants.compactMap { tenant in
        configuration.value(of: .adjacentIntervals, in: tenant)
          .flatMap { UInt8(String(decoding: $0, as: UTF8.self)) }
      }
      return (tenants + [configuration.project.adjacentIntervals]).max() ?? 0
    } catch {
      return Settings.adjacentIntervalsRange.upperBound
    }
  }

  /// Returns what tells the store of this host from its own one, also if a folder is missing.
  package static func storeComparison() throws(AdminError) -> StoreComparison {
    do throws(AdminError) {
      let store = try store()
      do throws(FactorStoreError) { return try store.comparison() } catch { throw .store(error) }
    } catch .store(.foreign(let difference)) {
      var comparison = StoreComparison()
      comparison.difference = difference
      return comparison
    }
  }

  static func store() throws(AdminError) -> LocalFactorStore {
    guard let location = StoreLocation.standard else { throw .store(.damaged(.directory)) }
    do throws(FactorStoreError) { return try LocalFactorStore(location) } catch {
      throw .store(error)
    }
  }

  /// Returns the configuration files of the host, in order: as this process reads them, or as the user who
  /// decides about sign-ins does.
  package static func layers(
    asDecided: Bool = false
  ) throws(AdminError) -> [ConfigurationFile.Layer] {
    var layers: [ConfigurationFile.Layer] = []
    func read() throws(ConfigurationError) {
      try ConfigurationFile.forEachLayer { (layer) throws(ConfigurationError) in
        layers.append(try layer.get())
      }
    }
    do throws(ConfigurationError) {
      if asDecided { try DecidingUser.reading(read) } else { try read() }
    } catch {
      throw .configuration(error)
    }
    return layers
  }

  /// Returns the configuration that decides about sign-ins.
  package static func policy() throws(AdminError) -> Configuration {
    do throws(ConfigurationError) { return try DecidingUser.configuration() } catch {
      throw .configuration(error)
    }
  }

  /// Returns the current time in seconds since the epoch.
  package static func now() throws(AdminError) -> Int64 {
    do throws(SystemError) { return try Clock.now() } catch { throw .clock(error) }
  }
}

/// An object or array that `ObjectLiteral` has begun to read.
struct OpenContainer {
  /// What can come next.
  enum Next {
    case name, colon, value, comma
  }

  let isObject: Bool
  private(set) var next: Next
  /// The name of the member that is being read, in an object.
  private(set) var name = ""
  /// The names of the members so far.
  private var names: Set<[UInt8]> = []
  /// The number of the element that is being read, in an array.
  private var element = 0

  init(isObject: Bool) {
    self.isObject = isObject
    next = isObject ? .name : .value
  }

  /// Begins a member. Returns false if the object has a member with this name.
  mutating func begin(_ name: String) -> Bool {
    self.name = name
    next = .colon
    return names.insert(Array(name.utf8)).inserted
  }

  /// Goes on after a colon, a value or a comma.
  mutating func advance() {
    switch next {
    case .name, .colon: next = .value
    case .value: next = .comma
    case .comma:
      element += 1
      next = isObject ? .name : .value
    }
  }

  /// Whether the object or array can end here. A comma may be before its end.
  var canEnd: Bool { next == .comma || next == (isObject ? .name : .value) }

  /// What can come next, for messages.
  var expected: String {
    switch next {
    case .name: "a name or }"
    case .colon: "a colon"
    case .value: isObject ? "a value" : "a value or ]"
    case .comma: isObject ? "a comma or }" : "a comma or ]"
    }
  }

  /// The place of the member or element that is being read.
  var place: String { isObject ? "." + name : "[\(element)]" }
}

extension TrustedPath {
  /// Calls `body` with the folder that contains the last component.
  package func inParent<Result: ~Copyable>(
    _ body: (borrowing Directory, FileName) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try body(try parent(), last)
  }

  /// Returns the names in a folder that fulfil `isIncluded`, sorted. Returns an empty array if
  /// `path` is not an absolute path.
  package static func names(
    in path: String, where isIncluded: ([UInt8]) -> Bool
  ) throws(SystemError) -> [String] {
    guard let folder = TrustedPath(Array(path.utf8)) else { return [] }
    return try folder.names().filter(isIncluded).map { String(decoding: $0, as: UTF8.self) }
      .sorted()
  }
}

extension ConfigurationFile {
  /// Returns the configuration of files, of which later ones override earlier ones.
  package static func configuration(of layers: [Layer]) throws(ConfigurationError) -> Configuration
  {
    var draft = ConfigurationDraft()
    for layer in layers { try add(layer, to: &draft) }
    return try finish(draft)
  }
}
