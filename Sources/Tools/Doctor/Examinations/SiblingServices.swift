import MFAAdmin
import MFABase
import MFAPAMStack

/// Finds services that open the same door as a service that asks for a code, and do not ask for one.
enum SiblingServices: Examination {
  /// A way in that several services share.
  private struct Door {
    /// The services that ask for a code.
    let guarded: [String]
    /// The other services.
    let siblings: [String]
    /// What users get through a sibling, as the end of a sentence.
    let effect: String
    /// Whether the same program uses the siblings. Other programs may be left out on purpose.
    var isOneProgram = false
  }

  private static let greeters = [
    "gdm-password", "gdm3", "lightdm", "sddm", "lxdm", "xdm", "greetd", "slim", "wdm", "kdm",
  ]

  private static let doors = [
    Door(
      guarded: ["sudo"], siblings: ["sudo-i"],
      effect: "sudo -i gives root's rights for the password alone", isOneProgram: true),
    Door(
      guarded: ["su"], siblings: ["su-l"],
      effect: "su -l changes the user for the password alone", isOneProgram: true),
    Door(
      guarded: ["sudo", "su"], siblings: ["polkit-1"],
      effect: "pkexec, run0 and the dialogs of a desktop give root's rights for the password alone"),
    Door(
      guarded: ["login"], siblings: greeters + ["remote", "cockpit"],
      effect: "it signs users in for the password alone"),
  ]

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let asking = Set(snapshot.servicesWithModule.map(\.visibleName))
    let present = Set(snapshot.services.map { VisibleText.escaping($0) })
    var reported: Set<String> = []
    var findings: [Finding] = []
    for door in doors {
      guard let guarded = door.guarded.first(where: { asking.contains($0) }) else { continue }
      for sibling in door.siblings
      where present.contains(sibling) && !asking.contains(sibling)
        && reported.insert(sibling).inserted
      {
        findings.append(
          Finding(
            severity: door.isOneProgram ? .warning : .note, code: "sibling-without-code",
            services: [Array(sibling.utf8)], place: path(of: sibling, snapshot.host),
            message: "\(guarded) asks for a code and this service does not: \(door.effect)",
            hint: "enable it too: mfa-admin enable \(sibling)"
              + (door.isOneProgram ? "" : " (with --no-confirm if it cannot be confirmed)")
              + "; or accept it: mfa-admin doctor accept"))
      }
    }
    return findings
  }

  /// Returns the path of a service's file, which can be the vendor's.
  private static func path(of service: String, _ host: any ExaminedHost) -> String {
    do throws(StackRefusal) {
      if let file = try host.stacks.file(Array(service.utf8)) {
        return VisibleText.escaping(file.path)
      }
    } catch {
      // `UnreadableStack` reports the file.
    }
    return "\(InstalledPath.services)/\(service)"
  }
}
