import TestSupport
import Testing

/// The module beside other people's programs that do the same.
@Suite(.serialized, .privateMachine)
enum Differential {}
