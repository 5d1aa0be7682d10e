import MFAAdmin
import MFABase

/// The rules and settings of a host's sudo.
enum SudoersView {
  /// sudo is not installed.
  case notInstalled
  /// Nothing is known. The finding says why.
  case unknown(Finding)
  case known(Known)

  /// What is known.
  struct Known {
    let policy: SudoersPolicy
    let context: SudoersContext
    /// The path of the first file.
    let path: String
    /// The places of the user specifications and `Defaults` lines of `policy`.
    let places: (rules: [String], defaults: [String])
    let sources: NameServiceSwitch
    /// What could not be determined.
    let unchecked: [Finding]

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

  private static let program = "/usr/bin/sudo"
  private static let converter = "/usr/bin/cvtsudoers"
  private static let hostName = "/proc/sys/kernel/hostname"
  private static let subject = "for whom sudo asks for no code"

  /// Reads the rules of a host from its files.
  init(of host: any ExaminedHost) {
    do throws(Failure) {
      guard let output = try Self.output(of: Self.program, ["-V"], host) else {
        self = .notInstalled
        return
      }
      let basis = try Basis(output, host)
      self = .known(try basis.readFiles(host))
    } catch {
      self = .unknown(.unchecked(Self.subject, at: error.place, error.reason))
    }
  }

  /// Reads the rules for one user, from sudo itself if some are not in files or the files cannot be
  /// read. Root may list the rules of every user.
  init(of host: any ExaminedHost, for user: String) {
    do throws(Failure) {
      guard let output = try Self.output(of: Self.program, ["-V"], host) else {
        self = .notInstalled
        return
      }
      let basis = try Basis(output, host)
      let failure: Failure
      do throws(Failure) {
        let known = try basis.readFiles(host)
        guard !basis.otherSources.isEmpty else {
          self = .known(known)
          return
        }
        failure = basis.otherSourcesFailure
      } catch {
        failure = error
      }
      self = .known(try basis.list(user, host, insteadOf: failure))
    } catch {
      self = .unknown(.unchecked(Self.subject, at: error.place, error.reason))
    }
  }

  /// The reason why the rules are not known.
  fileprivate struct Failure: Error {
    let place: String
    let reason: String
  }

  fileprivate static func output(
    of program: String, _ arguments: [String], _ host: any ExaminedHost
  ) throws(Failure) -> [UInt8]? {
    let command = ([program] + arguments).joined(separator: " ")
    let output: ProgramOutput?
    do throws(ProgramOutput.Failure) {
      output = try host.output(of: program, arguments)
    } catch {
      throw Failure(place: program, reason: "\(command): \(error.text)")
    }
    guard let output else { return nil }
    guard output.isSuccess else {
      // Only root can read the rules.
      let complaint = ProgramComplaint(output, files: arguments.filter { $0.hasPrefix("/") }) {
        ResolvedPath($0, on: host).isPublic
      }
      throw Failure(
        place: complaint.place ?? program,
        reason: "\(program): \(complaint.text)")
    }
    return output.output
  }

  /// What is known about sudo before its rules are read.
  private struct Basis {
    let context: SudoersContext
    let path: String
    let sources: NameServiceSwitch
    /// The sources of rules other than files that this sudo asks.
    let otherSources: [String]
    private let readsFiles: Bool

    init(_ output: [UInt8], _ host: any ExaminedHost) throws(Failure) {
      guard let version = SudoVersion(output) else {
        throw Failure(
          place: SudoersView.program, reason: "sudo -V names no sudoers file")
      }
      var reading = NameServiceSwitch.path
      let name: [UInt8]
      do throws(TrustedPath.Refusal) {
        sources = try NameServiceSwitch(of: host)
        reading = SudoersView.hostName
        name = try host.text(of: reading) ?? []
      } catch {
        throw Failure(place: reading, reason: error.text)
      }
      do throws(SystemError) {
        let time = Timestamp(try host.now())?.iso8601
        context = SudoersContext(
          host: SudoersHost(
            name: String(decoding: name, as: UTF8.self).filter { !$0.isWhitespace },
            usesFullName: version.usesFullName),
          version: version, time: time.map { $0.filter { $0.isNumber || $0 == "Z" } })
        var path = version.paths.first ?? SudoersView.program
        for other in version.paths.reversed() {
          reading = other
          if try host.status(of: other) != nil { path = other }
        }
        self.path = path
      } catch {
        throw Failure(place: reading, reason: error.text)
      }
      let named = (sources.sources(of: "sudoers") ?? ["files"]).filter(version.supports)
      readsFiles = named.isEmpty || named.contains("files")
      otherSources = named.filter { $0 != "files" }
    }

    var otherSourcesFailure: Failure {
      Failure(
        place: sources.place(of: "sudoers"),
        reason: "sudo also has rules from \(NameList.text(otherSources)), which are in no file")
    }

    func readFiles(_ host: any ExaminedHost) throws(Failure) -> Known {
      let unchecked = otherSources.isEmpty ? [] : [otherSourcesFailure.finding]
      guard readsFiles else { return known(SudoersPolicy(), places: ([], []), unchecked) }
      let arguments = ["-f", "json"]
      let all = try converted(arguments + [path], host)
      let runAs = try converted(
        arguments + ["-d", "runas", "-s", "privileges,aliases", path], host)
      let policy: SudoersPolicy
      do throws(SudoersPolicy.Refusal) {
        policy = try SudoersPolicy(all, runAsDefaults: runAs)
      } catch {
        throw Failure(place: path, reason: "\(SudoersView.converter): \(error.reason)")
      }
      let files = SudoersFiles(path: path, host: context.host, Self.reader(host))
      return known(policy, places: files.places(of: policy), unchecked)
    }

    private func converted(
      _ arguments: [String], _ host: any ExaminedHost
    ) throws(Failure) -> [UInt8] {
      guard let output = try SudoersView.output(of: SudoersView.converter, arguments, host) else {
        throw Failure(place: path, reason: "\(SudoersView.converter) does not exist")
      }
      return output
    }

    /// Returns the rules for a user that sudo lists. `failure` is the reason why the files are not
    /// enough.
    func list(
      _ user: String, _ host: any ExaminedHost, insteadOf failure: Failure
    ) throws(Failure) -> Known {
      guard
        let output = try SudoersView.output(of: SudoersView.program, ["-ll", "-U", user], host)
      else { throw failure }
      let policy: SudoersPolicy
      do throws(SudoersPolicy.Refusal) {
        policy = try SudoersPolicy(listing: output)
      } catch {
        throw Failure(place: failure.place, reason: "\(failure.reason); \(error.reason)")
      }
      let place = [failure.place]
      return known(
        policy,
        places: (
          policy.rules.flatMap { _ in place }, policy.defaults.flatMap { _ in place }
        ), [])
    }

    private func known(
      _ policy: SudoersPolicy, places: (rules: [String], defaults: [String]),
      _ unchecked: [Finding]
    ) -> Known {
      Known(
        policy: policy, context: context, path: path, places: places, sources: sources,
        unchecked: unchecked)
    }

    private static func reader(_ host: any ExaminedHost) -> SudoersFiles.Reader {
      SudoersFiles.Reader(
        text: { path in
          do throws(TrustedPath.Refusal) { return try host.text(of: path) } catch { return nil }
        },
        names: { folder in
          do throws(TrustedPath.Refusal) { return try host.names(in: folder) } catch { return nil }
        })
    }
  }
}

extension SudoersView.Failure {
  /// The finding that some rules are not known.
  fileprivate var finding: Finding {
    Finding(
      severity: .warning, code: "sudoers-elsewhere", place: place,
      message: "cannot check for whom sudo asks for no code: \(reason)",
      hint: "ask sudo for each user: mfa-admin explain --service sudo --user NAME")
  }
}
