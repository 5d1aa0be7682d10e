import MFAPAMStack

/// Finds services whose stack cannot be read, so that it is unknown whether they use the module.
enum UnreadableStack: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.unreadable.map { service, refusal in
      StackFinding(
        service: service,
        fault: .unreadable(
          refusal, mentionsModule: mentionsModule(service, refusal, snapshot.host.stacks))
      ).finding
    }
  }

  /// Returns whether the service's file, or the file that cannot be read, contains the module's name.
  static func mentionsModule(
    _ service: [UInt8], _ refusal: StackRefusal, _ source: some StackSource
  ) -> Bool {
    let path = refusal.place.split(separator: UInt8(ascii: ":")).first ?? []
    let included = path.split(separator: UInt8(ascii: "/")).last.map { Array($0) }
    return [service, included ?? service].contains { name in
      do throws(StackRefusal) {
        let text = try source.file(name).map { String(decoding: $0.contents, as: UTF8.self) }
        return text?.contains("pam_mfa") == true
      } catch {
        return false
      }
    }
  }
}
