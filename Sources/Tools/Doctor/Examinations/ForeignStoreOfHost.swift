import MFAAdmin
import MFABase
import MFAStore

/// Finds a store that is not the host's own, and a key that another machine has, too.
enum ForeignStoreOfHost: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    // The store of a host of a realm decides about no sign-in.
    guard snapshot.host.realmStatus() == .none else { return [] }
    do throws(AdminError) {
      return findings(try snapshot.host.storeComparison())
    } catch {
      // Another examination reports the key, and the owners and permissions.
      guard case .store(.system(.key, _)) = error else {
        guard case .store(.untrusted) = error else {
          return [
            .unchecked(
              "whether the store is this host's own", at: "\(InstalledPath.storeIdentity)",
              error.message)
          ]
        }
        return []
      }
      return []
    }
  }

  private static func findings(_ comparison: StoreComparison) -> [Finding] {
    if let difference = comparison.difference {
      return [
        Finding(
          severity: .error, code: "store-foreign", place: "\(InstalledPath.store)",
          message: "\(difference.sentence); all sign-ins and enrolments are denied",
          hint: difference.hint)
      ]
    }
    return [sharedKey(comparison), oldIdentity(comparison)].compactMap { $0 }
  }

  private static func sharedKey(_ comparison: StoreComparison) -> Finding? {
    guard let own = comparison.own, let machine = comparison.machine, own.keyMachine != machine
    else { return nil }
    let origin =
      own.keyMachine == nil
      ? "before this machine had an /etc/machine-id" : "on a machine with another /etc/machine-id"
    return Finding(
      severity: .warning, code: "shared-key", place: "\(InstalledPath.key)",
      message:
        "was made \(origin): every machine that was made from the same image can have this key, and "
        + "anyone who reads it on one machine can open the records of all",
      hint: "make a new key: mfa-admin rekey; prepare the image with mfa-admin prepare-image")
  }

  private static func oldIdentity(_ comparison: StoreComparison) -> Finding? {
    guard let own = comparison.own, own.log != 0, let entries = comparison.entries,
      entries > own.entries
    else { return nil }
    return Finding(
      severity: .warning, code: "store-identity-old", place: "\(InstalledPath.storeIdentity)",
      message:
        "does not have the last entries of the audit log, so an earlier copy of the store could be put "
        + "back unnoticed",
      hint: "the next change, such as mfa-admin unlock, writes it; if this finding stays: make it "
        + "writable, and run systemctl restart mfad.service")
  }
}
