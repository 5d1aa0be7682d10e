import MFAAdmin
import MFABase

/// The rules and settings of a host's sudo.
enum SudoersView {
  /// sudo is not installed.
  case notInstalled
  /// Nothing is known. The finding says why.
  case unknown(Finding)
  case known(Known)

  /// What is known: the settings of sudo and, once they are read, its rules.
  struct Known {
    private(set) var policy = SudoersPolicy()
    let context: SudoersContext
    /// The path of the first file.
    let path: String
    /// The places of the user specifications and `Defaults` lines of `policy`.
    private var places: (rules: [String], defaults: [String]) = ([], [])
    let sources: NameServiceSwitch
    /// What could not be determined.
    private(set) var unchecked: [Finding] = []
    /// The sources of rules other than files that this sudo asks.
    fileprivate let otherSources: [String]
    private let readsFiles: Bool

    /// Returns the place of what causes an effect, or nil if no file causes it.
    func place(of source: SudoEffect.Source) -> String? {
      switch source {
      case .specification(let number): Self.place(number, places.rules) ?? path
      case .defaults(let number): Self.place(number, places.defaults) ?? path
      case .elsewhere: nil
      }
    }

    private static func place(_ number: Int, _ places: [String]) -> String? {
      places.indices.contains(number) ? places[number] : nil
    }
  }

  fileprivate static let program = "/usr/bin/sudo"
  fileprivate static let converter = "/usr/bin/cvtsudoers"
  fileprivate static let hostName = "/proc/sys/kernel/hostname"
  private static let subject = "for whom sudo asks for no code"

  /// Reads the rules of a host from its files. The rules for one user are from sudo itself if some are
  /// not in files or the files cannot be read. Root may list the rules of every user.
  init(of host: any ExaminedHost, for user: String? = nil) {
    do throws(AdminError) {
      guard let output = try Self.output(of: Self.program, ["-V"], host) else {
        self = .notInstalled
        return
      }
      let basis = try Known(output, host)
      let failure: AdminError
      do throws(AdminError) {
        let known = try basis.readingFiles(host)
        guard user != nil, !basis.otherSources.isEmpty else {
          self = .known(known)
          return
        }
        failure = basis.otherSourcesFailure
      } catch {
        failure = error
      }
      guard let user else { throw failure }
      self = .known(try basis.listing(user, host, insteadOf: failure))
    } catch {
      self = .unknown(.unchecked(Self.subject, at: error.place, error.reason))
    }
  }

  /// Whether the view, which is of all users, says of each user what a view of that user says.
  var isWhole: Bool {
    switch self {
    case .notInstalled: true
    case .unknown: false
    case .known(let known): known.otherSources.isEmpty
    }
  }

  fileprivate static func output(
    of program: String, _ arguments: [String], _ host: any ExaminedHost
  ) throws(AdminError) -> [UInt8]? {
    let output: ProgramOutput?
    do throws(AdminError) { output = try host.output(of: program, arguments) } catch {
      let command = ([program] + arguments).joined(separator: " ")
      throw AdminError(at: program, "\(command): \(error.reason)")
    }
    guard let output else { return nil }
    guard output.isSuccess else {
      // Only root can read the rules.
      let complaint = ProgramComplaint(output, files: arguments.filter { $0.hasPrefix("/") }) {
        ResolvedPath($0, on: host).isPublic
      }
      throw AdminError(at: complaint.place ?? program, "\(program): \(complaint.text)")
    }
    return output.output
  }
}

extension SudoersView.Known {
  /// Reads the output of `sudo -V`.
  fileprivate init(_ output: [UInt8], _ host: any ExaminedHost) throws(AdminError) {
    guard let version = SudoVersion(output) else {
      throw AdminError(at: SudoersView.program, "sudo -V names no sudoers file")
    }
    sources = try NameServiceSwitch(of: host)
    let name = try host.text(of: SudoersView.hostName) ?? []
    let time = Timestamp(try host.now())?.iso8601
    context = SudoersContext(
      host: SudoersHost(
        name: String(decoding: name, as: UTF8.self).filter { !$0.isWhitespace },
        usesFullName: version.usesFullName),
      version: version, time: time.map { $0.filter { $0.isNumber || $0 == "Z" } })
    var path = version.paths.first ?? SudoersView.program
    for other in version.paths.reversed() where try host.status(of: other) != nil {
      path = other
    }
    self.path = path
    let named = (sources.sources(of: "sudoers") ?? ["files"]).filter(version.supports)
    readsFiles = named.isEmpty || named.contains("files")
    otherSources = named.filter { $0 != "files" }
  }

  fileprivate var otherSourcesFailure: AdminError {
    AdminError(
      at: sources.place(of: "sudoers"),
      "sudo also has rules from \(NameList.text(otherSources)), which are in no file")
  }

  /// Returns the value with the rules in files.
  fileprivate func readingFiles(_ host: any ExaminedHost) throws(AdminError) -> Self {
    var known = self
    known.unchecked = otherSources.isEmpty ? [] : [otherSourcesFailure.findingAboutSudo]
    guard readsFiles else { return known }
    let arguments = ["-f", "json"]
    let all = try converted(arguments + [path], host)
    let runAs = try converted(
      arguments + ["-d", "runas", "-s", "privileges,aliases", path], host)
    do throws(AdminError) {
      known.policy = try SudoersPolicy(all, runAsDefaults: runAs)
    } catch {
      throw AdminError(at: path, "\(SudoersView.converter): \(error.reason)")
    }
    let files = SudoersFiles(path: path, host: context.host, on: host)
    known.places = files.places(of: known.policy)
    return known
  }

  private func converted(
    _ arguments: [String], _ host: any ExaminedHost
  ) throws(AdminError) -> [UInt8] {
    guard let output = try SudoersView.output(of: SudoersView.converter, arguments, host) else {
      throw AdminError(at: path, "\(SudoersView.converter) does not exist")
    }
    return output
  }

  /// Returns the value with the rules for a user that sudo lists. `failure` is the reason why the files are not
  /// enough.
  fileprivate func listing(
    _ user: String, _ host: any ExaminedHost, insteadOf failure: AdminError
  ) throws(AdminError) -> Self {
    guard
      let output = try SudoersView.output(of: SudoersView.program, ["-ll", "-U", user], host)
    else { throw failure }
    var known = self
    do throws(AdminError) { known.policy = try SudoersPolicy(listing: output) } catch {
      throw AdminError(at: failure.place, "\(failure.reason); \(error.reason)")
    }
    known.places = (
      known.policy.rules.map { _ in failure.place },
      known.policy.defaults.map { _ in failure.place }
    )
    return known
  }
}

extension AdminError {
  /// The finding that some rules of sudo are not known.
  fileprivate var findingAboutSudo: Finding {
    Finding(
      severity: .warning, code: "sudoers-elsewhere", place: place,
      message: "cannot check for whom sudo asks for no code: \(reason)",
      hint: "ask sudo for each user: mfa-admin explain --service sudo --user NAME")
  }
}
