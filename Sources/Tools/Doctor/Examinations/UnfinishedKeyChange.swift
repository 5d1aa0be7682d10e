import MFABase

/// Finds a change of the key that was begun and is not complete.
enum UnfinishedKeyChange: Examination {
  private static let place = "\(InstalledPath.key).next"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(SystemError) {
      guard try snapshot.host.status(of: place) != nil else { return [] }
      return [
        Finding(
          severity: .warning, code: "rekey-unfinished", place: place,
          message:
            "a change of the key was begun and is not complete: some data is sealed with this "
            + "key, and some with the earlier one, so backups need both",
          hint: "run mfa-admin rekey, which completes the change")
      ]
    } catch {
      return [.unchecked("whether a change of the key is complete", at: place, error.text)]
    }
  }
}
