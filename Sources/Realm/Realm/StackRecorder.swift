import MFAPAMStack

/// A source of service files that remembers what was looked up in another source.
final class StackRecorder<Source: StackSource>: StackSource {
  private let source: Source
  private var lookups: [ReportedStacks.Lookup] = []
  private var isCertain = true
  private var bytesLeft = ReportedStacks.longest

  init(_ source: Source) { self.source = source }

  /// What was looked up until now.
  var recorded: ReportedStacks { ReportedStacks(lookups, areCertain: isCertain) }

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    if let earlier = lookups.first(where: { $0.name == name }) { return earlier.file }
    do throws(StackRefusal) {
      let file = try source.file(name)
      record(name, file)
      return file
    } catch {
      isCertain = false
      throw error
    }
  }

  private func record(_ name: [UInt8], _ file: StackFile?) {
    let bytes = name.count &+ (file?.path.count ?? 0) &+ (file?.contents.count ?? 0)
    guard lookups.count < ReportedStacks.mostLookups, name.count <= AccountFacts.longestName,
      file?.path.count ?? 0 <= ReportedStacks.longestPath, bytes <= bytesLeft
    else {
      isCertain = false
      return
    }
    bytesLeft &-= bytes
    lookups.append(ReportedStacks.Lookup(name, file))
  }
}
