import MFAPAMStack

/// Finds services whose stack cannot be read, so that it is unknown whether they use the module.
enum UnreadableStack: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.unreadable.map { service, refusal in
      StackFinding(service: service, fault: .unreadable(refusal)).finding
    }
  }
}
