/// A list in sudoers, with its aliases replaced by what they stand for.
package struct SudoersList: Equatable {
  /// The elements, in the order of the file.
  package var members: [SudoersMember]
  /// The words of the list in the file, aliases included. They locate the list.
  package var words: [String] = []

  package init(_ members: [SudoersMember], words: [String] = []) {
    self.members = members
    self.words = words
  }

  /// The list that contains everything.
  package static let everything = SudoersList([SudoersMember(.all)])
}

/// What an element or a list says about something.
package struct SudoersVerdicts: OptionSet, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let allowed = SudoersVerdicts(rawValue: 1)
  package static let denied = SudoersVerdicts(rawValue: 2)
  package static let unspecified = SudoersVerdicts(rawValue: 4)

  /// Whether the answer may be yes. More than one verdict means that the answer is not known.
  var mayAllow: Bool { contains(.allowed) }
  /// Whether the answer is certainly yes.
  var allows: Bool { self == .allowed }
}

/// Whether an element names something.
package enum SudoersMatch {
  case yes
  case no
  case unknown

  init(_ matches: Bool) { self = matches ? .yes : .no }
}

extension SudoersList {
  /// Returns all possible verdicts of the list. The last element that matches decides, as in sudo
  /// (`userlist_matches` in match.c).
  package func verdicts(_ matches: (SudoersMember) -> SudoersMatch) -> SudoersVerdicts {
    var possible: SudoersVerdicts = []
    for member in members.reversed() {
      let verdict: SudoersVerdicts = member.isNegated ? .denied : .allowed
      switch matches(member) {
      case .no: continue
      case .unknown: possible.insert(verdict)
      case .yes: return possible.union(verdict)
      }
    }
    return possible.union(.unspecified)
  }
}
