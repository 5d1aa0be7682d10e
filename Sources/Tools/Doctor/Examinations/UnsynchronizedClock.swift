import MFABase

/// Finds a system clock that is not synchronised. Codes depend on the time.
enum UnsynchronizedClock: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let place = "adjtimex(2)"
    do throws(SystemError) {
      guard try !snapshot.host.clockIsSynchronized() else { return [] }
    } catch {
      return [.unchecked("whether the clock is synchronised", at: place, error.text)]
    }
    return [
      Finding(
        severity: .warning, code: "clock-not-synchronized", place: place,
        message:
          "the system clock is not synchronised: once it is off by more than adjacent_intervals "
          + "allows, every code is rejected",
        hint:
          "run timedatectl set-ntp true, or make sure that chrony has \"rtcsync\"; this can be "
          + "expected in a virtual machine whose host keeps the time")
    ]
  }
}
