public import Policy
import Secrets
public import System

/// The configuration's files, judged and read: the vendor's, the host's, and the host's drop-ins in
/// the byte order of their names.
///
/// MUST 1: a file that somebody other than root could have written, or that does not parse, is an
/// error, never left out; so is a folder that cannot be listed to its end. (`BadConfiguration`,
/// `LayeredConfiguration`)
/// MUST 2: a file that is not there is left out, and where there is none at all that is an error,
/// never the defaults. (`BadConfiguration`)
public enum ConfigurationFile {
  /// Why there is no configuration.
  public struct Failure: Error, Equatable, Sendable {
    /// What is the matter with a file or the folder of drop-ins.
    public enum Reason: Equatable, Sendable {
      /// `config=` names no absolute path.
      case notAPath
      case system(SystemError)
      case untrusted(Distrust)
      /// There are more drop-ins than `maximumDropIns`.
      case tooManyFiles
      case invalid(ConfigurationError)
    }

    /// The file, or the folder of drop-ins.
    public let path: [UInt8]
    /// What is the matter with it.
    public let reason: Reason

    /// Puts both together.
    public init(_ path: [UInt8], _ reason: Reason) {
      self.path = path
      self.reason = reason
    }
  }

  /// A file that is there.
  public struct Layer: Equatable, Sendable {
    /// Its path.
    public let path: [UInt8]
    /// What it holds, or more than a configuration may.
    public let text: [UInt8]
    /// When it was written, in seconds since the epoch; 0 where that is not known.
    public let writtenAt: Int64

    /// Puts them together.
    public init(path: [UInt8], text: [UInt8], writtenAt: Int64 = 0) {
      self.path = path
      self.text = text
      self.writtenAt = writtenAt
    }
  }

  /// How many drop-ins there may be.
  public static var maximumDropIns: Int { 64 }

  /// /usr/lib/mfa/mfa.conf, the vendor's.
  public static var vendorPath: [UInt8] { ("/usr/lib/mfa/mfa.conf" as StaticString).bytes }

  /// /etc/mfa/mfa.conf, the host's.
  public static var standardPath: [UInt8] { ("/etc/mfa/mfa.conf" as StaticString).bytes }

  /// /etc/mfa/mfa.conf.d, where the drop-ins are.
  public static var folderPath: [UInt8] { standardPath + (".d" as StaticString).bytes }

  /// Reads the host's configuration.
  public static func read() throws(Failure) -> Configuration {
    var draft = ConfigurationDraft()
    try forEachLayer { (layer) throws(Failure) in try add(try layer.get(), to: &draft) }
    return try finish(draft)
  }

  /// Reads the configuration at `path`, and nothing else.
  public static func read(_ path: [UInt8]) throws(Failure) -> Configuration {
    guard let trusted = TrustedPath(path) else { throw Failure(path, .notAPath) }
    var draft = ConfigurationDraft()
    guard let directory = try directory(of: trusted, path),
      let layer = try layer(path, trusted.last, in: directory)
    else { throw absence(path) }
    try add(layer, to: &draft)
    return try finish(draft)
  }

  /// Hands each file of the host's configuration that is there to `body`, in order, or why it cannot
  /// be used.
  public static func forEachLayer(
    _ body: (Result<Layer, Failure>) throws(Failure) -> Void
  ) throws(Failure) {
    // One look, for mostly there is none.
    if Directory.mayExist(vendorPath), let vendor = TrustedPath(vendorPath),
      let directory = try directory(of: vendor, vendorPath)
    {
      try hand(vendorPath, vendor.last, in: directory, to: body)
    }
    guard let host = TrustedPath(standardPath),
      let directory = try directory(of: host, standardPath)
    else { return }
    try hand(standardPath, host.last, in: directory, to: body)
    guard let folder = try folder(in: directory) else { return }
    let names = try dropIns(in: folder)
    var last: [UInt8] = []
    while let name = next(after: last, in: names) {
      try hand(folderPath + [UInt8(ascii: "/")] + name.bytes, name, in: folder, to: body)
      last = name.bytes
    }
  }

  // MARK: Files

  private static func hand(
    _ path: [UInt8], _ name: FileName, in directory: borrowing Directory,
    to body: (Result<Layer, Failure>) throws(Failure) -> Void
  ) throws(Failure) {
    let layer: Layer?
    do throws(Failure) {
      layer = try Self.layer(path, name, in: directory)
    } catch {
      return try body(.failure(error))
    }
    if let layer { try body(.success(layer)) }
  }

  /// Nil where there is no such file.
  private static func layer(
    _ path: [UInt8], _ name: FileName, in directory: borrowing Directory
  ) throws(Failure) -> Layer? {
    do throws(Failure) {
      return try contents(path, name, in: directory)
    } catch {
      guard error == absence(path) else { throw error }
      return nil
    }
  }

  private static func contents(
    _ path: [UInt8], _ name: FileName, in directory: borrowing Directory
  ) throws(Failure) -> Layer {
    let file = try opening(path) { () throws(SystemError) in try directory.fileForReading(name) }
    let status = try opening(path) { () throws(SystemError) in try file.status() }
    guard status.kind == .regular else { throw Failure(path, .untrusted(.notARegularFile)) }
    guard status.owner == 0 else { throw Failure(path, .untrusted(.wrongOwner)) }
    guard !status.isWritableByOthers else { throw Failure(path, .untrusted(.wrongPermissions)) }
    // One byte more than may be: what is longer is refused by the parser, which says so.
    let length = min(Int(clamping: status.size), Configuration.maximumLength + 1)
    let text = try opening(path) { () throws(SystemError) in try file.read(count: length) }
    return Layer(path: path, text: text, writtenAt: status.writtenAt)
  }

  private static func opening<Result: ~Copyable>(
    _ path: [UInt8], _ body: () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw Failure(path, error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error))
    }
  }

  private static func absence(_ path: [UInt8]) -> Failure {
    Failure(path, .system(.notFound(.open)))
  }

  // MARK: Folders

  /// The directory that holds the file; nil where there is none.
  private static func directory(
    of trusted: TrustedPath, _ path: [UInt8]
  ) throws(Failure) -> Directory? {
    do throws(TrustedPath.Refusal) {
      return try trusted.parent()
    } catch {
      return try missing(path, error)
    }
  }

  /// The folder of drop-ins; nil where there is none.
  private static func folder(in directory: borrowing Directory) throws(Failure) -> Directory? {
    guard let path = TrustedPath(folderPath) else { return nil }
    do throws(TrustedPath.Refusal) {
      return try TrustedPath.directory(path.last, in: directory)
    } catch {
      return try missing(folderPath, error)
    }
  }

  private static func missing(
    _ path: [UInt8], _ refusal: TrustedPath.Refusal
  ) throws(Failure) -> Directory? {
    switch refusal {
    case .system(let error):
      guard error.isNotFound else { throw Failure(path, .system(error)) }
      return nil
    case .untrusted(let distrust): throw Failure(path, .untrusted(distrust))
    }
  }

  /// The names of the drop-ins, in no order.
  private static func dropIns(in folder: borrowing Directory) throws(Failure) -> [FileName] {
    var names: [FileName] = []
    do throws(SystemError) {
      try folder.forEachEntry { name in
        if isDropIn(name.bytes) { names.append(name) }
        return names.count <= maximumDropIns
      }
    } catch {
      throw Failure(folderPath, .system(error))
    }
    guard names.count <= maximumDropIns else { throw Failure(folderPath, .tooManyFiles) }
    return names
  }

  /// The first of `names` behind `last` in the order of their bytes.
  private static func next(after last: [UInt8], in names: [FileName]) -> FileName? {
    var next: FileName?
    for name in names where last.lexicographicallyPrecedes(name.bytes) {
      if let next, next.bytes.lexicographicallyPrecedes(name.bytes) { continue }
      next = name
    }
    return next
  }

  /// Whether a file of this name is a drop-in: letters and digits of ASCII, dots, underscores and
  /// hyphens, no dot first, and `.conf` at the end. What editors and package managers leave beside a
  /// file is none.
  public static func isDropIn(_ name: [UInt8]) -> Bool {
    let ending: StaticString = ".conf"
    guard name.count > ending.bytes.count, name.first != UInt8(ascii: "."),
      name.suffix(ending.bytes.count) == ending.bytes[...]
    else { return false }
    return name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      case _: false
      }
    }
  }

  // MARK: The configuration

  /// Reads a file over those before it.
  public static func add(
    _ layer: Layer, to draft: inout ConfigurationDraft
  ) throws(Failure) {
    do throws(ConfigurationError) {
      try draft.add(layer.text.span, from: layer.path, writtenAt: layer.writtenAt)
    } catch {
      throw Failure(layer.path, .invalid(error))
    }
  }

  /// The configuration that the files come to.
  public static func finish(_ draft: ConfigurationDraft) throws(Failure) -> Configuration {
    guard !draft.files.isEmpty else { throw absence(standardPath) }
    do throws(ConfigurationError) {
      return try draft.finish()
    } catch {
      let file = Int(error.file)
      throw Failure(
        file < draft.files.count ? draft.files[file] : standardPath, .invalid(error))
    }
  }
}
