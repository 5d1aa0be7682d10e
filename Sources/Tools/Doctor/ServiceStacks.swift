import MFAAdmin
import MFABase
import MFAPAMStack

/// The `auth` and `account` stacks of a service, as libpam carries them out on a host: with the modules
/// that it can load.
///
/// MUST 1: a denial is reported if and only if libpam denies the claimant for everything that the modules
/// can return. (`EndToEnd.HostCorpus.agrees`)
package struct ServiceStacks {
  /// The service's name.
  package let name: [UInt8]
  /// The `auth` stack. A carriage return at the end of a line is a part of its last word.
  package let auth: Result<ServiceStack, StackRefusal>
  /// The `account` stack.
  package let account: Result<ServiceStack, StackRefusal>
  /// The first line that ends with a carriage return, or nil.
  package let carriageReturn: StackRefusal?
  private let modules: LoadableModules

  /// Reads the stacks of a service.
  package init(of name: [UInt8], from source: some StackSource, with modules: LoadableModules) {
    self.name = name
    self.modules = modules
    carriageReturn = Self.carriageReturn(name, source)
    auth = Self.stack(.auth, name, source)
    account = Self.stack(.account, name, source)
  }

  private static func stack(
    _ type: StackType, _ name: [UInt8], _ source: some StackSource
  ) -> Result<ServiceStack, StackRefusal> {
    do throws(StackRefusal) {
      return .success(try ServiceStack(type, of: name, from: source, keepsCarriageReturns: true))
    } catch {
      return .failure(error)
    }
  }

  private static func carriageReturn(_ name: [UInt8], _ source: some StackSource) -> StackRefusal? {
    do throws(StackRefusal) {
      _ = try ServiceStack(.auth, of: name, from: source)
      return nil
    } catch {
      guard case .carriageReturn = error else { return nil }
      return error
    }
  }

  /// The service, or nil if its `auth` stack cannot be read or does not call the module.
  package var withModule: ServiceWithModule? {
    guard case .success(let stack) = auth else { return nil }
    return ServiceWithModule(name: name, stack: stack)
  }

  /// The findings about `auth` lines that do not do what they look like.
  package var misreadLines: [Finding] {
    if let carriageReturn {
      return [
        StackFinding(service: name, fault: .unreadable(carriageReturn, mentionsModule: true))
          .finding
      ]
    }
    guard case .success(let stack) = auth else { return [] }
    return StrayModuleLines.lookalikes(stack, .auth, of: name)
  }

  /// Returns the reason why libpam cannot load the module in the line that asks for the code, or nil.
  package var moduleProblem: String? {
    withModule.flatMap { modules.problem($0.stack.entries[$0.index]) }
  }

  /// Returns why libpam denies a claimant whose password has not expired, or nil if it does not, or if
  /// that is not known.
  ///
  /// Users enrol, where they have to, before the `account` lines end: these are carried out for a user
  /// who has enrolled.
  package func denial(of claimant: Claimant) -> StackDenial? {
    denial(.auth, auth, claimant) ?? accountDenial
  }

  /// Returns why the `account` lines deny every user, or nil.
  package var accountDenial: StackDenial? {
    denial(.account, account, Claimant([.password, .code, .other]))
  }

  private func denial(
    _ type: StackType, _ stack: Result<ServiceStack, StackRefusal>, _ claimant: Claimant
  ) -> StackDenial? {
    let lines: ServiceStack
    do throws(StackRefusal) { lines = try stack.get() } catch {
      return error.deniesSignIns.map { StackDenial(position: $0, cause: .unreadable(error)) }
    }
    var claimant = claimant
    claimant.unloadable = modules.unloadable(in: lines)
    claimant.mayHaveExpiredPassword = false
    guard !canSucceed(type, lines, claimant) else { return nil }
    if let line = blockingLine(type, lines, claimant), case .module(let name, _, _) = line.kind,
      let problem = modules.problem(line)
    {
      return StackDenial(position: line.position, cause: .module(name, problem: problem))
    }
    let entries = lines.entries
    let line = entries.first { ModuleKind($0) == .denial } ?? entries.last
    let file = InstalledPath.services.bytes + [UInt8(ascii: "/")] + name
    return StackDenial(
      position: line?.position ?? StackPosition(file: file, line: 1), cause: .lines(type))
  }

  private func canSucceed(
    _ type: StackType, _ stack: ServiceStack, _ claimant: Claimant
  ) -> Bool {
    type == .auth
      ? StackEffect(ofAuthStack: stack, of: name, for: claimant).canSucceed
      : StackEffect(of: name, type, stack, for: claimant).canSucceed
  }

  /// Returns the line whose module would have to be loaded for the claimant to sign in, or nil if the
  /// claimant could not sign in either if all modules could be loaded. A line that denies alone, though
  /// all other modules can be loaded, comes first.
  private func blockingLine(
    _ type: StackType, _ stack: ServiceStack, _ claimant: Claimant
  ) -> StackEntry? {
    func canSucceed(without modules: Set<[UInt8]>) -> Bool {
      var other = claimant
      other.unloadable = modules
      return self.canSucceed(type, stack, other)
    }
    guard canSucceed(without: []) else { return nil }
    let missing = stack.entries.filter { modules.problem($0) != nil }
    return missing.first { entry in
      guard case .module(let name, _, _) = entry.kind else { return false }
      return !canSucceed(without: [name])
    } ?? missing.first
  }
}

extension StackRefusal {
  /// The line because of which libpam denies every sign-in, or nil if libpam may be able to read the
  /// stack.
  fileprivate var deniesSignIns: StackPosition? {
    switch self {
    case .notFound(let position), .loop(let position): position
    case .notAServiceName, .tooDeep, .tooLong, .notUnderstood, .carriageReturn, .system, .untrusted:
      nil
    }
  }
}
